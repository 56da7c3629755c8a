import { describe, expect, test } from 'vitest'
import { isUnavailable } from '../../src/database/client.ts'
import { callInTurn, manual } from '../support/manual_batch.ts'

/** Items such as `a3` are of key `a` and weigh 3; `a` alone weighs 1. */
const shared = (options: Parameters<typeof manual>[0]) =>
  manual({ keyOf: (item) => item[0] ?? '', weightOf: (item) => Number(item.slice(1)) || 1, ...options })

/** The runs that these items make, which all wait while `x` goes alone. */
async function runsOf(items: string[], options: Parameters<typeof manual>[0]): Promise<string[][]> {
  const { call, runs, answer } = shared(options)
  const calls = await callInTurn(call, ['x', ...items])
  for (let run = 0; run < runs.length; run += 1) await answer(run)
  await Promise.all(calls)
  return runs.slice(1).map((run) => run.items)
}

describe('the weight of a run', () => {
  test('is no larger than the limit', async () => {
    expect(await runsOf(['a4', 'a4', 'a4'], { maxWeight: 10 })).toEqual([['a4', 'a4'], ['a4']])
  })

  test('is larger for an item that is too heavy for any, which goes alone', async () => {
    expect(await runsOf(['a11', 'a1'], { maxWeight: 10 })).toEqual([['a11'], ['a1']])
    expect(await runsOf(['a1', 'a11'], { maxWeight: 10 })).toEqual([['a1'], ['a11']])
  })

  test('leaves the limit of items as it is', async () => {
    expect(await runsOf(['a', 'a', 'a'], { max: 2, maxWeight: 10 })).toEqual([['a', 'a'], ['a']])
  })
})

describe('waiting keys', () => {
  test('share the next run equally by weight, in any order of arrival', async () => {
    const runs = await runsOf(['a5', 'a5', 'a5', 'a5', 'b1', 'b2', 'b3', 'b4'], { maxWeight: 20 })
    expect(runs).toEqual([
      ['a5', 'a5', 'b1', 'b2', 'b3', 'b4'],
      ['a5', 'a5'],
    ])
  })

  test('fill a run if others leave room in it', async () => {
    expect(await runsOf(['a5', 'a5', 'a5', 'b1'], { maxWeight: 20 })).toEqual([['a5', 'a5', 'b1', 'a5']])
  })

  test('take turns from run to run if there are more of them than a run can take', async () => {
    const items = ['a', 'a', 'b', 'b', 'c', 'c']
    expect(await runsOf(items, { max: 2 })).toEqual([
      ['a', 'b'],
      ['c', 'a'],
      ['b', 'c'],
    ])
  })

  test('let lighter entries use the rest of a run, and come first in the next', async () => {
    const runs = await runsOf(['a6', 'b6', 'c1', 'c1', 'c1'], { maxWeight: 8 })
    expect(runs).toEqual([
      ['a6', 'c1', 'c1'],
      ['b6', 'c1'],
    ])
  })

  test('wait for one run at most when another key floods the batch', async () => {
    const { call, itemsOf, answer } = shared({ maxWeight: 250 })
    const flood = await callInTurn(
      call,
      Array.from({ length: 2000 }, () => 'f5'),
    )
    await answer(0)
    await answer(1)
    const other = call('o1')
    expect(await itemsOf(2)).not.toContain('o1')
    await answer(2)
    expect(await itemsOf(3)).toContain('o1')
    await answer(3)
    expect(await other).toBe('O1')
    expect(flood).toHaveLength(2000)
  })
})

describe('an entry that is too much', () => {
  test('for its key is refused at once as unavailable, and those of other keys are not', async () => {
    const { call, answer } = shared({ maxPending: 100, maxPendingOfKey: 10 })
    const calls = await callInTurn(call, ['a5', 'a5'])
    expect(isUnavailable(await call('a1').catch((error: unknown) => error))).toBe(true)
    calls.push(call('b10'))
    await answer(0)
    await answer(1)
    expect(await Promise.all(calls)).toEqual(['A5', 'A5', 'B10'])
    void call('a10')
    await answer(2)
  })

  test('for the whole batch is refused at once, until less is pending', async () => {
    const { call, answer } = shared({ maxPending: 2 })
    const calls = await callInTurn(call, ['a', 'b'])
    await expect(call('c')).rejects.toThrow('too much waits')
    await answer(0)
    calls.push(call('c'))
    await answer(1)
    await answer(2)
    expect(await Promise.all(calls)).toEqual(['A', 'B', 'C'])
  })

  test('is accepted if no other is pending', async () => {
    const { call, answer } = shared({ maxPending: 10 })
    const heavy = call('a50')
    await answer(0)
    expect(await heavy).toBe('A50')
  })
})
