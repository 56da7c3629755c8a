import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseRetryAfter, retryAfterSeconds } from '../../src/messages/retry_after.ts'

const now = new Date('2026-03-04T05:06:07.000Z')

describe('Retry-After in seconds', () => {
  it.each([
    ['120', 120],
    ['5', 5],
    ['21600', 21600],
    ['0', 5],
    ['4', 5],
    ['21601', 21600],
    ['000000120', 120],
    ['99999999999999999999', 21600],
    ['9'.repeat(128), 21600],
    [' 120 ', 120],
    ['\t120\t ', 120],
  ])('%j waits %i s', (value, seconds) => {
    expect(parseRetryAfter(value, now)).toBe(seconds)
  })
})

describe('Retry-After as a date', () => {
  it.each([
    ['IMF-fixdate', 'Wed, 04 Mar 2026 05:08:07 GMT', 120],
    ['RFC 850', 'Wednesday, 04-Mar-26 05:08:07 GMT', 120],
    ['asctime', 'Wed Mar  4 05:08:07 2026', 120],
    ['asctime with a day of two digits', 'Wed Mar 04 05:08:07 2026', 120],
    ['a past IMF-fixdate', 'Sun, 06 Nov 1994 08:49:37 GMT', 5],
    ['a past RFC 850 date', 'Sunday, 06-Nov-94 08:49:37 GMT', 5],
    ['a past asctime date', 'Sun Nov  6 08:49:37 1994', 5],
    ['a date now', 'Wed, 04 Mar 2026 05:06:07 GMT', 5],
    ['a date too far off', 'Thu, 05 Mar 2026 05:06:07 GMT', 21600],
    ['a leap second', 'Wed, 04 Mar 2026 05:07:60 GMT', 113],
    ['a date with white space around', ' Wed, 04 Mar 2026 05:08:07 GMT\t', 120],
    ['a date of another weekday', 'Mon, 04 Mar 2026 05:08:07 GMT', 120],
  ])('%s: %j waits %i s', (_what, value, seconds) => {
    expect(parseRetryAfter(value, now)).toBe(seconds)
  })

  it('is rounded up to whole seconds', () => {
    const between = new Date('2026-03-04T05:06:07.001Z')
    expect(parseRetryAfter('Wed, 04 Mar 2026 05:06:17 GMT', between)).toBe(10)
  })

  it('accepts 29 February of a leap year', () => {
    const leapYear = new Date('2028-02-29T00:00:00Z')
    expect(parseRetryAfter('Tue, 29 Feb 2028 00:01:00 GMT', leapYear)).toBe(60)
  })

  it('reads the years before 100 as they stand', () => {
    expect(parseRetryAfter('Wed, 04 Mar 0026 05:08:07 GMT', now)).toBe(5)
  })

  it.each([
    ['up to 50 years ahead in the future', 'Wednesday, 04-Mar-76 05:06:07 GMT', 50 * 365.25 * 86400],
    ['more than 50 years ahead in the past', 'Wednesday, 04-Mar-76 05:06:08 GMT', 0],
    ['of this century in the past', 'Wednesday, 04-Mar-25 05:06:07 GMT', 0],
  ])('takes a two-digit year %s', (_what, value, seconds) => {
    expect(Math.abs((retryAfterSeconds(value, now) ?? Number.NaN) - seconds)).toBeLessThanOrEqual(86400)
  })

  it('takes a two-digit year into the next century when that is near', () => {
    const late = new Date('2099-12-31T23:59:00Z')
    expect(parseRetryAfter('Friday, 01-Jan-00 00:01:00 GMT', late)).toBe(120)
  })

  it('reads every date that toUTCString writes', () => {
    const dates = fc.date({ min: now, max: new Date('9999-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(dates, (date) => {
        const wait = Math.floor(date.getTime() / 1000) - now.getTime() / 1000
        expect(retryAfterSeconds(date.toUTCString(), now)).toBe(wait)
      }),
    )
  })
})

describe('Retry-After that cannot be parsed', () => {
  it.each([
    '',
    ' ',
    '-1',
    '+5',
    '1.5',
    '1e3',
    '0x10',
    '12 0',
    '120, 60',
    '120s',
    '١٢٠',
    'soon',
    'Infinity',
    '2026-03-04T05:08:07Z',
    'Wed, 04 Mar 2026 05:08:07',
    'Wed, 04 Mar 2026 05:08:07 UTC',
    'Wed, 04 Mar 2026 05:08:07 +0000',
    'Wed, 4 Mar 2026 05:08:07 GMT',
    'Wed, 04 mar 2026 05:08:07 GMT',
    'wed, 04 Mar 2026 05:08:07 GMT',
    'Wed, 04 Mar 2026 24:00:00 GMT',
    'Wed, 04 Mar 2026 05:60:07 GMT',
    'Wed, 04 Mar 2026 05:08:61 GMT',
    'Wed, 30 Feb 2026 05:08:07 GMT',
    'Wed, 29 Feb 2026 05:08:07 GMT',
    'Wed, 00 Mar 2026 05:08:07 GMT',
    'Xyz, 04 Mar 2026 05:08:07 GMT',
    'Wed, 04-Mar-26 05:08:07 GMT',
    'Wednesday, 04 Mar 2026 05:08:07 GMT',
    'Wednesday, 04-Mar-2026 05:08:07 GMT',
    'Wed Mar 4 05:08:07 2026',
    'Wed Mar  4 05:08:07 2026 GMT',
  ])('%j is ignored', (value) => {
    expect(parseRetryAfter(value, now)).toBeNull()
  })

  it.each([
    ['digits', '9'.repeat(129)],
    ['a wait and white space', `120${' '.repeat(126)}`],
    ['a date and white space', `Wed, 04 Mar 2026 05:08:07 GMT${'\t'.repeat(100)}`],
    ['white space between letters', `a${' '.repeat(15_800)}b`],
  ])('is ignored when it is longer than 128 characters: %s', (_what, value) => {
    expect(value.length).toBeGreaterThan(128)
    expect(parseRetryAfter(value, now)).toBeNull()
  })

  it('is ignored when it is absent', () => {
    expect(parseRetryAfter(undefined, now)).toBeNull()
    expect(parseRetryAfter([], now)).toBeNull()
  })

  it('is ignored when it came more than once', () => {
    expect(parseRetryAfter(['120'], now)).toBe(120)
    expect(parseRetryAfter(['120', '60'], now)).toBeNull()
    expect(parseRetryAfter(['120', '120'], now)).toBeNull()
  })

  it('never throws, and never gives a wait out of bounds', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const seconds = parseRetryAfter(value, now)
        expect(seconds === null || (seconds >= 5 && seconds <= 21600)).toBe(true)
      }),
    )
  })
})
