import { describe, expect, test } from 'vitest'
import { failureOf, tlsFailureOf } from '../../../src/webhooks/failure.ts'
import { answered, refused, unreachable } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'

const { sql, newEvent, attempt, attemptsOf, eventOf, jobsOf } = itemTests({ balance: 100_000, audited: true })

const failed = (code: string) => Object.assign(new Error('SECRET'), { code })

test.each([
  ['ETIMEDOUT', 'timeout'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ESOMETHING'].map((code) => [
    code,
    'connection_error',
  ]),
  ['HPE_INVALID_CONSTANT', 'bad_response'],
  ['HPE_HEADER_OVERFLOW', 'bad_response'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_error'],
])('an error of the network with the code %s is a %s', (code = '', kind) => {
  expect(failureOf(failed(code)).errorKind).toBe(kind)
  expect(tlsFailureOf(failed(code)).errorKind).toBe('tls_error')
})

describe('what a partner reads about a failed attempt', () => {
  const shown = async (event: string) => {
    const [row] = await sql()`select last_error from core.partner_events where event_id = ${event}`
    return row?.last_error
  }

  test.each<[string, object, string | null]>([
    ['the kind that was recorded', unreachable('timeout after 10 s', 'tls_error'), 'tls_error'],
    ['the kind of a name', { ...unreachable('x', 'name_not_resolved'), kind: 'unresolved' }, 'name_not_resolved'],
    ['why the URL is refused', refused('blocked_address'), 'blocked_address'],
    ['the status', answered(503), 'http_503'],
    ['the status of a redirection', answered(302), 'http_302'],
    ['nothing where it was delivered', answered(200), null],
  ])('is %s, whatever the text for operators says', async (_, result, word) => {
    const event = await newEvent()
    await attempt(event, result)
    expect(await shown(event)).toBe(word)
  })
})

test('an attempt that this service could not make is not counted, not shown, and tried again in five minutes', async () => {
  const event = await newEvent()
  await attempt(event, answered(503))
  for (let n = 0; n < 10; n += 1) {
    expect(await attempt(event, { kind: 'unsent', error: 'DATA_KEYS has no key that opens it' })).toBe('unsent')
  }
  expect(await attemptsOf(event)).toMatchObject([{ attempt: 1, status_code: 503, error_kind: null }])
  const { state, attempts, wait } = await eventOf(event)
  expect({ state, attempts, minutes: Math.round(wait / 60) }).toEqual({ state: 'waiting', attempts: 1, minutes: 5 })
  expect(await jobsOf(event)).toHaveLength(1)
  const [{ last_error } = {}] = await sql()`select last_error from core.partner_events where event_id = ${event}`
  expect(last_error).toBe('http_503')
  expect(await attempt(event, answered(200))).toBe('delivered')
  expect(await attemptsOf(event)).toHaveLength(2)
})
