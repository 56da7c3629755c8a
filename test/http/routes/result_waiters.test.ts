import { afterEach, expect, test } from 'vitest'
import { createResultWaiters, type ResultWaiters } from '../../../src/http/routes/result_waiters.ts'

let waiters: ResultWaiters
afterEach(() => waiters.end())

const later = performance.now() + 60_000
const db = { call: async () => [] as never }

test('the number of waiting requests is bounded in all and by account', () => {
  waiters = createResultWaiters({ db, max: 3, maxOfAccount: 2 })
  const first = waiters.enter('1', 0)
  expect(waiters.enter('1', 0)).toBeDefined()
  expect(waiters.enter('1', 0)).toBeUndefined()
  expect(waiters.enter('2', 0)).toBeDefined()
  expect(waiters.enter('3', 0)).toBeUndefined()
  first?.leave()
  first?.leave()
  expect(waiters.enter('3', 0)).toBeDefined()
  expect(waiters.enter('1', 0)).toBeUndefined()
})

test('one statement polls for all waiting requests', async () => {
  const asked: object[] = []
  const call = async (_: string, args: object) => {
    asked.push(args)
    return [{ account_id: '2' }] as never
  }
  waiters = createResultWaiters({ db: { call: call as never } })
  const [one, other] = [waiters.enter('1', 7), waiters.enter('2', 8)]
  expect(await other?.next(later)).toBe('results')
  expect(asked).toEqual([{ account_ids: ['1', '2'], after: [7, 8] }])
  expect(await one?.next(performance.now())).toBe('time')
})

test('end() wakes all requests and gives no more places', async () => {
  waiters = createResultWaiters({ db })
  const waiter = waiters.enter('1', 0)
  const waiting = waiter?.next(later)
  waiters.end()
  expect(await waiting).toBe('end')
  expect(await waiter?.next(later)).toBe('end')
  expect(waiters.enter('1', 0)).toBeUndefined()
})
