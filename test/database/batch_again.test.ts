import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type BatchOptions, batch } from '../../src/database/batch.ts'
import { isUnavailable } from '../../src/database/client.ts'
import { DatabaseEnded } from '../../src/database/errors.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const lost = Object.assign(new Error('write CONNECTION_CLOSED'), { code: 'CONNECTION_CLOSED' })
const refusal = Object.assign(new postgres.PostgresError('duplicate key'), { severity: 'ERROR', code: '23505' })

/** A batch of items like `a1`, of key `a`. A run answers busy for the keys in `locked`, and throws the next of `errors`. */
function scripted(options: Omit<BatchOptions<string, string>, 'run'> = {}) {
  const runs: string[][] = []
  const locked = new Set<string>()
  const errors: Error[] = []
  const call = batch<string, string>({
    keyOf: (item) => item.charAt(0),
    isBusy: (answer) => answer === 'busy',
    run: async (items) => {
      runs.push(items)
      const error = errors.shift()
      await new Promise((resolve) => setTimeout(resolve, 1))
      if (error) throw error
      return items.map((item) => (locked.has(item.charAt(0)) ? 'busy' : item.toUpperCase()))
    },
    ...options,
  })
  return { call, runs, locked, errors }
}

describe('an entry that is answered busy', () => {
  test('is answered once its lock is free, and the other keys do not wait for it', async () => {
    const { call, runs, locked } = scripted()
    locked.add('a')
    const busy = [call('a1'), call('a2')]
    expect(await settledIn(1, call('b1'))).toBe('B1')
    await vi.advanceTimersByTimeAsync(1_000)
    locked.clear()
    await vi.advanceTimersByTimeAsync(100)
    expect(await Promise.all(busy)).toEqual(['A1', 'A2'])
    expect(runs.length).toBeGreaterThan(20)
    expect(runs.length).toBeLessThan(200)
  })

  test('waits together with later entries of its key, and stays before them', async () => {
    const { call, runs, locked } = scripted()
    locked.add('a')
    const first = call('a1')
    await vi.advanceTimersByTimeAsync(2)
    const calls = [first, call('a2'), call('b1')]
    await vi.advanceTimersByTimeAsync(2)
    expect(runs).toEqual([['a1'], ['b1']])
    locked.clear()
    await vi.advanceTimersByTimeAsync(50)
    expect(await Promise.all(calls)).toEqual(['A1', 'A2', 'B1'])
    expect(runs[2]).toEqual(['a1', 'a2'])
  })

  test('is unavailable when its deadline passes, and so are the entries behind it', async () => {
    const { call, runs, locked } = scripted({ waitMs: 1_000 })
    locked.add('a')
    const outcomes = Promise.allSettled([call('a1'), call('a2')])
    await vi.advanceTimersByTimeAsync(1_010)
    for (const outcome of await outcomes) {
      expect(outcome.status === 'rejected' && isUnavailable(outcome.reason)).toBe(true)
    }
    const made = runs.length
    await vi.advanceTimersByTimeAsync(1_000)
    expect(runs).toHaveLength(made)
  })

  test('shares its runs with all other busy keys', async () => {
    const { call, runs, locked } = scripted()
    const items = ['a1', 'b1', 'c1', 'd1']
    for (const item of items) locked.add(item.charAt(0))
    const calls = items.map(call)
    await vi.advanceTimersByTimeAsync(300)
    expect(runs.every((run) => run.length === 4)).toBe(true)
    locked.clear()
    await vi.advanceTimersByTimeAsync(50)
    expect(await Promise.all(calls)).toEqual(['A1', 'B1', 'C1', 'D1'])
  })
})

describe('a run that throws', () => {
  test('is made once more with all its entries where the database is unavailable', async () => {
    const { call, runs, errors } = scripted()
    errors.push(lost)
    const calls = [call('a1'), call('b1')]
    await vi.advanceTimersByTimeAsync(100)
    expect(await Promise.all(calls)).toEqual(['A1', 'B1'])
    expect(runs).toEqual([
      ['a1', 'b1'],
      ['a1', 'b1'],
    ])
  })

  test('is not made a third time, unless its entries are to be tried until their deadline', async () => {
    const [once, often] = [scripted(), scripted({ maxRetries: Number.POSITIVE_INFINITY })]
    for (const { errors } of [once, often]) errors.push(...Array(20).fill(lost))
    const refused = expect(once.call('a1')).rejects.toBe(lost)
    const answered = often.call('a1')
    await vi.advanceTimersByTimeAsync(2_000)
    await refused
    expect(once.runs).toHaveLength(2)
    expect(await answered).toBe('A1')
  })

  test.each([
    ['the database refused it', refusal],
    ['the client is closed', new DatabaseEnded()],
    ['it has a bug', new Error('a bug')],
  ])('is not made again where %s: all its entries are refused', async (_, error) => {
    const { call, runs, errors } = scripted({ maxRetries: Number.POSITIVE_INFINITY })
    errors.push(error)
    const outcomes = Promise.allSettled([call('a1'), call('b1')])
    await vi.advanceTimersByTimeAsync(100)
    expect(await outcomes).toEqual(Array(2).fill({ status: 'rejected', reason: error }))
    expect(runs).toHaveLength(1)
  })
})

test('after a run of several the next waits for the batch delay, and after a run of one it does not', async () => {
  const { call, runs } = scripted({ delayMs: 10 })
  void Promise.all(['a1', 'a2'].map(call))
  await vi.advanceTimersByTimeAsync(2)
  void call('a3')
  await vi.advanceTimersByTimeAsync(7)
  void call('a4')
  expect(runs).toEqual([['a1', 'a2']])
  await vi.advanceTimersByTimeAsync(3)
  expect(runs[1]).toEqual(['a3', 'a4'])
  await vi.advanceTimersByTimeAsync(20)
  void call('a5')
  await vi.advanceTimersByTimeAsync(0)
  void call('a6')
  await vi.advanceTimersByTimeAsync(2)
  expect(runs.slice(2)).toEqual([['a5'], ['a6']])
})

test('enough entries end the batch delay', async () => {
  const { call, runs } = scripted({ delayMs: 20, maxDelayed: 3 })
  void Promise.all(['a1', 'b1'].map(call))
  await vi.advanceTimersByTimeAsync(5)
  void Promise.all(['a2', 'b2'].map(call))
  await vi.advanceTimersByTimeAsync(5)
  expect(runs).toEqual([['a1', 'b1']])
  void call('a3')
  await vi.advanceTimersByTimeAsync(1)
  expect(runs[1]).toEqual(['a2', 'a3', 'b2'])
})

/** The answer of a call that has it within some milliseconds. */
async function settledIn(ms: number, call: Promise<string>): Promise<string | undefined> {
  let answer: string | undefined
  void call.then((given) => {
    answer = given
  })
  await vi.advanceTimersByTimeAsync(ms)
  return answer
}
