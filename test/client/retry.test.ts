import { describe, expect, test } from 'vitest'
import { type Attempt, retry, retryAfterMs, systemClock } from '../../src/client/retry.ts'

/** A clock that only sleeping moves. */
function testClock(random: () => number) {
  let time = 1000
  const slept: number[] = []
  const sleep = async (ms: number) => {
    slept.push(ms)
    time += ms
  }
  return { now: () => time, random, sleep, slept }
}

const failing =
  (wait = 0) =>
  async (): Promise<Attempt<never>> => ({ again: new Error('no'), retryAfterMs: wait })

describe('the delays between tries', () => {
  test('double up to ten seconds, half of them by chance', async () => {
    const shortest = testClock(() => 0)
    const longest = testClock(() => 1)
    for (const clock of [shortest, longest]) await retry(failing(), { giveUpAfterMs: 60_000 }, clock)
    expect(longest.slept.slice(0, 8)).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000])
    expect(shortest.slept.slice(0, 8)).toEqual([125, 250, 500, 1000, 2000, 4000, 5000, 5000])
  })

  test('are never shorter than Retry-After', async () => {
    const clock = testClock(() => 0.5)
    await retry(failing(7000), { giveUpAfterMs: 60_000 }, clock)
    expect(clock.slept.length).toBeGreaterThan(4)
    for (const delay of clock.slept) expect(delay).toBeGreaterThanOrEqual(7000)
  })

  test('end when the time is up, with the last error', async () => {
    const clock = testClock(Math.random)
    expect(await retry(failing(), { giveUpAfterMs: 60_000 }, clock)).toEqual({ gaveUp: new Error('no') })
    expect(clock.now()).toBeLessThanOrEqual(61_000)
    expect(clock.now()).toBeGreaterThan(50_000)
    const none = testClock(Math.random)
    await retry(failing(), { giveUpAfterMs: 0 }, none)
    expect(none.slept).toEqual([])
  })
})

test('a wait is never cut short for being too long for a timer', async () => {
  const ending = new AbortController()
  const slept = systemClock.sleep(999_999_999_000, ending.signal).then(
    () => 'slept',
    () => 'ended',
  )
  setTimeout(() => ending.abort(), 50)
  expect(await slept).toBe('ended')
})

describe('Retry-After', () => {
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
  ])('%j means %i ms', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms)
  })
})
