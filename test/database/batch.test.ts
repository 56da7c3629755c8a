import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { batch } from '../../src/database/batch.ts'
import { callForIds, callNumbered } from '../../src/database/batch_call.ts'
import { isUnavailable } from '../../src/database/client.ts'
import { callInTurn, manual, turn } from '../support/manual_batch.ts'

describe('when a call goes', () => {
  test('an idle batch runs a call at once, with the other calls of the same turn of the event loop', async () => {
    const { call, runs } = manual()
    void call('a')
    void Promise.resolve().then(() => call('b'))
    await turn()
    void call('c')
    await turn()
    expect(runs.map(({ items }) => items)).toEqual([['a', 'b']])
  })

  test('calls that arrive during a run share the next run, in the order of their arrival', async () => {
    const { call, runs, itemsOf, answer } = manual()
    const calls = await callInTurn(call, ['a', 'b', 'c', 'd'])
    expect(runs).toHaveLength(1)
    await answer(0)
    expect(await itemsOf(1)).toEqual(['b', 'c', 'd'])
    await answer(1)
    expect(await Promise.all(calls)).toEqual(['A', 'B', 'C', 'D'])
  })

  test('no run is larger than the limit, and the remaining calls share the next run', async () => {
    const { call, itemsOf, answer } = manual({ max: 2 })
    const calls = await callInTurn(call, ['a', 'b', 'c', 'd'])
    await answer(0)
    expect(await itemsOf(1)).toEqual(['b', 'c'])
    await answer(1)
    expect(await itemsOf(2)).toEqual(['d'])
    await answer(2)
    expect(await Promise.all(calls)).toEqual(['A', 'B', 'C', 'D'])
  })

  test('no more runs are under way at once than allowed', async () => {
    const { call, runs, itemsOf, answer } = manual({ inFlight: 2 })
    void call('a')
    await turn()
    void call('b')
    await turn()
    void call('c')
    await turn()
    expect(runs.map(({ items }) => items)).toEqual([['a'], ['b']])
    await answer(1)
    expect(await itemsOf(2)).toEqual(['c'])
  })

  test('the batch reports the size of each run to its metric', async () => {
    const sizes: number[] = []
    const call = batch<number, number>({ run: async (items) => items, onRun: (size) => sizes.push(size) })
    await Promise.all([1, 2].map(call))
    await call(3)
    expect(sizes).toEqual([2, 1])
  })
})

describe('which answer a call gets', () => {
  test.each<[string, string[]]>([
    ['leaves one out', ['A']],
    ['answers one too many', ['A', 'B', 'C']],
    ['answers nothing', []],
  ])('none, if the run %s: no call may get the answer of another', async (_, answers) => {
    const { call, answer } = manual()
    const [, ...calls] = await callInTurn(call, ['x', 'a', 'b'])
    const settled = Promise.allSettled(calls)
    await answer(0)
    await answer(1, answers)
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  test('the error of its own run, which touches no other run', async () => {
    const { call, answer, fail } = manual()
    const [failing, ...others] = await callInTurn(call, ['a', 'b', 'c'])
    const refused = expect(failing).rejects.toThrow('lost')
    await fail(0, new Error('lost'))
    await refused
    await answer(1)
    expect(await Promise.all(others)).toEqual(['B', 'C'])
  })

  test('the error that a run throws at once', async () => {
    const call = batch<string, string>({
      run: () => {
        throw new Error('at once')
      },
    })
    await expect(call('a')).rejects.toThrow('at once')
    await expect(call('b')).rejects.toThrow('at once')
  })
})

describe('a call that waits too long for its run', () => {
  test('is unavailable, and is not made later', async () => {
    const { call, runs, answer } = manual({ waitMs: 20 })
    const [first, second] = await callInTurn(call, ['a', 'b'])
    const error = await second?.catch((e: unknown) => e)
    expect(isUnavailable(error)).toBe(true)
    await answer(0)
    expect(await first).toBe('A')
    expect(runs).toHaveLength(1)
  })

  test('is unavailable also where several came in one turn, and others took the runs that were free', async () => {
    const { call, runs } = manual({ inFlight: 2, max: 1, waitMs: 500, keyOf: (item) => item[0] ?? '' })
    const [, second] = ['a1', 'a2', 'b1'].map((item) => call(item).catch((e: unknown) => e))
    await turn()
    expect(runs.map(({ items }) => items)).toEqual([['a1'], ['b1']])
    expect(isUnavailable(await second)).toBe(true)
  })

  test('may take as long as it likes once its run has begun', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { call, answer } = manual({ waitMs: 20 })
    const calls = await callInTurn(call, ['a', 'b'])
    await answer(0)
    await vi.advanceTimersByTimeAsync(40)
    await answer(1)
    expect(await Promise.all(calls)).toEqual(['A', 'B'])
  })
})

describe('a numbered call', () => {
  test('numbers the entries from 1 and gives each its row, in any order of the rows', async () => {
    const answers = await callNumbered([{ id: 'a' }, { id: 'b' }], async (numbered) => numbered.toReversed())
    expect(answers).toEqual([
      { ordinal: 1, id: 'a' },
      { ordinal: 2, id: 'b' },
    ])
  })

  test.each([
    ['leaves an entry out', [1], 'without an answer'],
    ['answers an entry twice', [1, 1], 'twice'],
    ['answers an entry that it was not given', [1, 3], 'not given'],
  ])('fails if it %s', async (_, ordinals, problem) => {
    const rows = ordinals.map((ordinal) => ({ ordinal }))
    await expect(callNumbered([{}, {}], async () => rows)).rejects.toThrow(problem)
  })

  test('for ids answers those that are left out with null', async () => {
    expect(await callForIds(['a', 'b'], async () => [{ ordinal: 2 }])).toEqual([null, { ordinal: 2 }])
  })

  test('for ids may not answer one that it was not given', async () => {
    await expect(callForIds(['a'], async () => [{ ordinal: 2 }])).rejects.toThrow('not given')
  })
})
