import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWakeUps, type WakeUps } from '../../../src/worker/queue/wake_ups.ts'

let wakeUps: WakeUps
let fetches: number[]
beforeEach(() => {
  vi.useFakeTimers()
  fetches = []
  wakeUps = createWakeUps(() => fetches.push(performance.now()))
})
afterEach(() => {
  vi.useRealTimers()
})

test.each([0, Number.NaN, -5])('a delay of %s ms fetches at once', (delayMs) => {
  wakeUps.plan(delayMs)
  expect(fetches).toHaveLength(1)
})

test('a delay fetches once, after its time and at most 55 ms later', async () => {
  const at = performance.now() + 1_000
  wakeUps.plan(1_000)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(fetches).toHaveLength(1)
  expect(fetches[0]).toBeGreaterThan(at)
  expect(fetches[0]).toBeLessThanOrEqual(at + 55)
})

test('thousands of notifications make at most 20 fetches a second', async () => {
  for (let n = 0; n < 10_000; n += 1) wakeUps.plan(1 + (n % 1_000))
  expect(vi.getTimerCount()).toBeLessThanOrEqual(22)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(fetches.length).toBeLessThanOrEqual(22)
})

test.each([60_001, 1e300, Number.POSITIVE_INFINITY])('a delay of %s ms is left to the polls', (delayMs) => {
  wakeUps.plan(delayMs)
  expect([fetches.length, vi.getTimerCount()]).toEqual([0, 0])
})

test('a pool that stops fetches no more', async () => {
  wakeUps.plan(10)
  wakeUps.clear()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(fetches).toEqual([])
})
