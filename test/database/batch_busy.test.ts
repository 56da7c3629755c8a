import { expect, test } from 'vitest'
import { type BatchOptions, batch } from '../../src/database/batch.ts'
import { isUnavailable } from '../../src/database/client.ts'
import { callInTurn, turn } from '../support/manual_batch.ts'

type Run = { items: string[]; lockWaitMs: number; end: (busy?: string[]) => Promise<void> }

/** A batch of items like `a1`, of key `a`. The test ends each run and says which keys were busy in it. */
function manual(options: Omit<BatchOptions<string, string>, 'run'> = {}) {
  const runs: Run[] = []
  const call = batch<string, string>({
    keyOf: (item) => item.charAt(0),
    isBusy: (answer) => answer === 'busy',
    run: (items, lockWaitMs) => {
      const { promise, resolve } = Promise.withResolvers<Map<number, string>>()
      const end = async (busy: string[] = []) => {
        resolve(
          new Map(
            items.map((item, place) => [place, busy.includes(item.charAt(0)) ? 'busy' : item.toUpperCase()]),
          ),
        )
        await turn()
      }
      runs.push({ items, lockWaitMs, end })
      return promise
    },
    ...options,
  })
  const run = (index: number): Run => {
    const found = runs[index]
    if (found === undefined) throw new Error(`run ${index} has not begun`)
    return found
  }
  return { call, run, runs }
}

test('a key that is busy waits for its lock apart, and what comes for it meanwhile goes there', async () => {
  const { call, run, runs } = manual()
  const calls = await callInTurn(call, ['a1', 'b1', 'a2'])
  await run(0).end(['a'])
  expect(run(1)).toMatchObject({ items: ['a1'], lockWaitMs: 50 })
  expect(run(2)).toMatchObject({ items: ['b1', 'a2'], lockWaitMs: 0 })
  await run(2).end(['a'])
  calls.push(call('a3'), call('c1'))
  await turn()
  expect(run(3)).toMatchObject({ items: ['c1'], lockWaitMs: 0 })
  await run(1).end()
  expect(run(4)).toMatchObject({ items: ['a2', 'a3'], lockWaitMs: 50 })
  await run(3).end()
  await run(4).end()
  calls.push(call('a4'))
  await turn()
  expect(run(5)).toMatchObject({ items: ['a4'], lockWaitMs: 0 })
  await run(5).end()
  expect(await Promise.all(calls)).toEqual(['A1', 'B1', 'A2', 'A3', 'C1', 'A4'])
  expect(runs).toHaveLength(6)
})

test('a key that stays busy is waited for alone, a while, and then refused; the others go on', async () => {
  const { call, run } = manual()
  const [first, ...together] = await callInTurn(call, ['a1', 'b1', 'c1', 'a2', 'b2'])
  const settled = Promise.allSettled(together)
  await run(0).end()
  await run(1).end(['a', 'b', 'c'])
  expect(run(2)).toMatchObject({ items: ['b1', 'b2', 'c1', 'a2'], lockWaitMs: 50 })
  await run(2).end(['b', 'a'])
  expect(run(3)).toMatchObject({ items: ['b1', 'b2'], lockWaitMs: 1000 })
  expect(run(4)).toMatchObject({ items: ['a2'], lockWaitMs: 50 })
  const later = call('b3')
  await run(3).end(['b'])
  await run(4).end()
  expect(run(5)).toMatchObject({ items: ['b3'], lockWaitMs: 1000 })
  await run(5).end()
  expect(await Promise.all([first, later])).toEqual(['A1', 'B3'])
  const outcomes = (await settled).map((outcome) =>
    outcome.status === 'fulfilled' ? outcome.value : outcome.reason,
  )
  expect(outcomes.map((outcome) => isUnavailable(outcome) || outcome)).toEqual([true, 'C1', 'A2', true])
})

test('few keys are waited for at once, and each gets its turn', async () => {
  const seen = { now: 0, atOnce: 0, items: [] as string[] }
  const call = batch<string, string>({
    keyOf: (item) => item.charAt(0),
    isBusy: () => true,
    run: async (items, lockWaitMs) => {
      const isLong = lockWaitMs > 50
      if (isLong) {
        seen.now += 1
        seen.items.push(...items)
      }
      seen.atOnce = Math.max(seen.atOnce, seen.now)
      await turn()
      if (isLong) seen.now -= 1
      return new Map(items.entries())
    },
  })
  const items = ['a1', 'b1', 'c1', 'd1', 'e1', 'b2']
  const outcomes = await Promise.allSettled(items.map(call))
  expect(outcomes.every((outcome) => outcome.status === 'rejected' && isUnavailable(outcome.reason))).toBe(
    true,
  )
  expect(seen.items.toSorted()).toEqual(items.toSorted())
  expect(seen.atOnce).toBeLessThanOrEqual(2)
})

test('what has waited for its whole time is refused', async () => {
  const { call, run, runs } = manual({ waitMs: 0 })
  const late = call('a1').catch((error: unknown) => error)
  await turn()
  await run(0).end(['a'])
  expect(await late).toSatisfy(isUnavailable)
  expect(runs).toHaveLength(1)
})
