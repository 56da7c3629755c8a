import { describe, expect, test } from 'vitest'
import { NoAnswerError } from '../../src/client/errors.ts'
import { type Outcome, retry, retryAfterMs } from '../../src/client/retry.ts'

/** A clock that only sleeping moves. */
function testClock(random: number) {
  let time = 1000
  const slept: number[] = []
  const sleep = async (ms: number) => {
    slept.push(ms)
    time += ms
  }
  return { now: () => time, random: () => random, sleep, slept }
}

const error = new NoAnswerError('no', { requestId: 'r' })
const failing =
  (waitMs = 0) =>
  async (): Promise<Outcome> => ({ error, isUndone: false, again: true, retryAfterMs: waitMs })

describe('the delays between requests', () => {
  test('the delays double up to ten seconds, and half of each is random', async () => {
    const [shortest, longest] = [testClock(0), testClock(1)]
    for (const clock of [shortest, longest]) await retry(failing(), { giveUpAfterMs: 60_000 }, clock)
    expect(longest.slept.slice(0, 8)).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000])
    expect(shortest.slept.slice(0, 8)).toEqual([125, 250, 500, 1000, 2000, 4000, 5000, 5000])
  })

  test('no delay is shorter than Retry-After', async () => {
    const clock = testClock(0.5)
    await retry(failing(7000), { giveUpAfterMs: 60_000 }, clock)
    expect(clock.slept.length).toBeGreaterThan(4)
    expect(Math.min(...clock.slept)).toBeGreaterThanOrEqual(7000)
  })

  test.each([
    ['the time is up', 60_000, 0, 61_000],
    ['no repeat is wanted', 0, 0, 1000],
    ['Retry-After is longer than the time', 60_000, 61_000, 1000],
    ['Retry-After is longer than a timer can be set', Number.POSITIVE_INFINITY, 2 ** 31, 1000],
  ])('the last error is returned when %s', async (_when, giveUpAfterMs, waitMs, latest) => {
    const clock = testClock(0.5)
    expect(await retry(failing(waitMs), { giveUpAfterMs }, clock)).toMatchObject({ error })
    expect(clock.now()).toBeLessThanOrEqual(latest)
  })
})

const now = new Date('2026-03-02T08:00:00.000Z')

test.each<[string | null, number]>([
  [null, 0],
  ['0', 0],
  ['12', 12_000],
  ['Mon, 02 Mar 2026 08:00:30 GMT', 30_000],
  ['Mon, 02 Mar 2026 07:00:00 GMT', 0],
  ['Mon, 99 Mar 2026 07:00:00 GMT', 0],
  ['1.5', 0],
  ['-1', 0],
  ['soon', 0],
  ['9999999999', 0],
  ['2026-03-02', 0],
])('Retry-After %j means %i ms', (header, ms) => {
  expect(retryAfterMs(header, now)).toBe(ms)
})
