import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Clock, createClock } from '../src/clock.ts'

const start = Date.parse('2026-03-01T00:00:00Z')
const minutes = 60_000
let clock: Clock
/** The time of the database, less that of the monotonic clock. */
let database: number
beforeEach(() => {
  vi.useFakeTimers({ now: start, toFake: ['Date', 'performance'] })
  clock = createClock()
  database = start - performance.now()
})
afterEach(() => {
  vi.useRealTimers()
})

const compare = () => clock.compare(async () => database + performance.now())
const seconds = () => Math.round((clock.now().getTime() - start) / 1_000)
/** Sets the process's own clock so far ahead. */
const setAhead = (ms: number) => void vi.setSystemTime(Date.now() + ms)
/** Time passes on all clocks. */
const pass = (ms: number) => void vi.advanceTimersByTime(ms)

test('a clock that differs by half a minute at most is followed', async () => {
  setAhead(30_000)
  await compare()
  expect([seconds(), clock.secondsAhead()]).toEqual([30, null])
})

test.each([10 * minutes, -10 * minutes])(
  'a process that starts with a clock %s ms ahead follows the database',
  async (ms) => {
    setAhead(ms)
    await compare()
    pass(5_000)
    expect([seconds(), clock.secondsAhead()]).toEqual([5, ms / 1_000])
    setAhead(-ms)
    await compare()
    expect([seconds(), clock.secondsAhead()]).toEqual([5, null])
  },
)

test('a clock that is set while the process runs changes nothing', async () => {
  await compare()
  pass(1_000)
  setAhead(-10 * minutes)
  expect(seconds()).toBe(1)
  await compare()
  pass(1_000)
  expect([seconds(), clock.secondsAhead()]).toEqual([2, -600])
})

test('a database whose clock is set back is not followed', async () => {
  await compare()
  database -= 70 * minutes
  pass(2_000)
  await compare()
  pass(2_000)
  await compare()
  expect([seconds(), clock.secondsAhead()]).toEqual([4, 4_200])
})

test('a process whose machine was paused follows the database', async () => {
  await compare()
  database += 10 * minutes
  await compare()
  expect([seconds(), clock.secondsAhead()]).toEqual([600, -600])
})

test('a slow answer of the database is no difference', async () => {
  await clock.compare(async () => {
    pass(5 * minutes)
    return database + performance.now()
  })
  expect(clock.secondsAhead()).toBeNull()
})
