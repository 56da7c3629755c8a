import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { batch } from '../../src/database/batch.ts'
import { isUnavailable } from '../../src/database/client.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const refusal = Object.assign(new postgres.PostgresError('lock timeout'), {
  severity: 'ERROR',
  code: '55P03',
})

/** A batch whose runs the database refuses after a while if an item in it is bad; others take a moment. */
function refusing({
  failMs,
  waitMs,
  isBad,
}: {
  failMs: number
  waitMs: number
  isBad: (item: string) => boolean
}) {
  const seen = { runs: 0, atOnce: 0 }
  let underWay = 0
  const call = batch<string, string>({
    keyOf: (item) => item.split(' ')[0] ?? '',
    waitMs,
    run: async (items) => {
      seen.runs += 1
      underWay += 1
      seen.atOnce = Math.max(seen.atOnce, underWay)
      const bad = items.some(isBad)
      await new Promise((resolve) => setTimeout(resolve, bad ? failMs : 1))
      underWay -= 1
      if (bad) throw refusal
      return new Map(items.entries())
    },
  })
  return { call, seen }
}

/** What comes of items that go together, and after how long. */
async function outcomesOf(call: (item: string) => Promise<string>, items: string[]) {
  const began = performance.now()
  const first = call('first')
  await vi.advanceTimersByTimeAsync(0)
  const settled = Promise.allSettled(items.map(call))
  await vi.runAllTimersAsync()
  await first
  const outcomes = (await settled).map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value : outcome.reason,
  )
  return { outcomes, tookMs: performance.now() - began }
}

const accounts = (count: number) => Array.from({ length: count }, (_, n) => `account-${n} order`)

describe('one that is at fault', () => {
  test.each([0, 1, 63, 127])('is found by halves and touches no other: number %i of 128', async (place) => {
    const items = accounts(128)
    const { call, seen } = refusing({ failMs: 2, waitMs: 3000, isBad: (item) => item === items[place] })
    const { outcomes } = await outcomesOf(call, items)
    expect(outcomes).toEqual(items.with(place, refusal as never))
    // The first, the whole, and two for each of seven halvings.
    expect(seen.runs).toBe(2 + 2 * 7)
  })

  test('is found in time if each try takes long, with more parts in fewer steps', async () => {
    const items = accounts(64)
    const { call, seen } = refusing({ failMs: 1000, waitMs: 3000, isBad: (item) => item === items[20] })
    const { outcomes, tookMs } = await outcomesOf(call, items)
    expect(outcomes).toEqual(items.with(20, refusal as never))
    expect(seen.runs).toBeLessThanOrEqual(2 + 2 * Math.sqrt(64))
    expect(tookMs).toBeLessThan(4000)
  })

  test('does not hold up those who come later', async () => {
    const { call } = refusing({ failMs: 1000, waitMs: 10_000, isBad: (item) => item.startsWith('bad') })
    void call('first')
    await vi.advanceTimersByTimeAsync(0)
    const bad = Promise.allSettled([call('bad 1'), call('good 1'), call('bad 2')])
    await vi.advanceTimersByTimeAsync(1002)
    const later = call('good 2')
    await vi.advanceTimersByTimeAsync(10)
    expect(await later).toBe('good 2')
    await vi.runAllTimersAsync()
    expect((await bad).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected'])
  })
})

test('all orders of an account at fault stay together, for they fail together', async () => {
  const locked = Array.from({ length: 40 }, (_, n) => `locked ${n}`)
  const items = locked.flatMap((item, n) => [item, `account-${n} order`])
  const { call } = refusing({ failMs: 1000, waitMs: 3000, isBad: (item) => item.startsWith('locked') })
  const { outcomes } = await outcomesOf(call, items)
  expect(outcomes.filter((outcome) => typeof outcome === 'string')).toHaveLength(40)
})

test('what fails throughout is tried a few at a time, and not beyond its time', async () => {
  const { call, seen } = refusing({ failMs: 1000, waitMs: 3000, isBad: (item) => item !== 'first' })
  const { outcomes, tookMs } = await outcomesOf(call, accounts(128))
  expect(outcomes.every(isUnavailable)).toBe(true)
  expect(seen.atOnce).toBeLessThanOrEqual(4)
  expect(seen.runs).toBeLessThanOrEqual(2 + 4 * 2)
  expect(tookMs).toBeLessThan(4000)
})
