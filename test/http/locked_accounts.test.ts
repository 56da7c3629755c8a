import type postgres from 'postgres'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeEvent } from '../support/events.ts'
import { httpTests } from '../support/http_tests.ts'
import { audit, balanceOf } from '../support/orders.ts'
import { makePartner, type Partner, products } from '../support/partner.ts'
import { batchesOf, type TestApi, testApi } from '../support/service.ts'

// An operator's open transaction has the lock of one account.
const { database, sql, api } = httpTests()
const otherApi = testApi(() => database.url)
let locked: Partner
let holder: postgres.ReservedSql

beforeEach(async () => {
  locked = await makePartner(sql(), { balance: 1000 })
  holder = await sql().reserve()
  await holder`begin`
  await holder`select from supply.accounts where id = ${locked.accountId} for update`
})
afterEach(async () => {
  await holder`rollback`
  holder.release()
})

let counter = 0
const newOrder = () => {
  counter += 1
  return { externalOrderId: `order-${counter}`, items: [{ productId: products.key }] }
}
const place = async (by: Partner, body = newOrder(), on: TestApi = api()) => {
  const { status, headers } = await on.post('/b2b/orders', { key: by.key, body })
  return { status, retryAfter: headers['retry-after'] }
}
const partners = (count: number) =>
  Promise.all(Array.from({ length: count }, () => makePartner(sql(), { balance: 100_000 })))

test('a locked account has its orders answered by 503, and other accounts are served', async () => {
  const others = await partners(20)
  const requests = [newOrder()]
  const refusals: Promise<{ status: number; retryAfter: unknown }>[] = []
  let answered = 0
  let answeredBefore: number | undefined
  const answers: { status: number }[] = []
  for (let round = 0; round < 5; round += 1) {
    const request = newOrder()
    requests[round] = request
    const refusal = place(locked, request)
    void refusal.then(() => {
      answeredBefore ??= answered
    })
    refusals.push(refusal)
    const placed = others.map(async (other) => {
      const answer = await place(other)
      answered += 1
      return answer
    })
    answers.push(...(await Promise.all(placed)))
  }
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(await Promise.all(refusals)).toEqual(refusals.map(() => ({ status: 503, retryAfter: '2' })))
  expect(answeredBefore).toBeGreaterThan(0)

  await holder`rollback`
  const repeated = await Promise.all(requests.map((request) => place(locked, request)))
  // On a busy machine, one whose statement was under way may be placed after its answer.
  expect([201, 200]).toEqual(expect.arrayContaining(repeated.map(({ status }) => status)))
  const again = await Promise.all(requests.map((request) => place(locked, request)))
  expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const price = (100_000 - (await balanceOf(sql(), others[0] as Partner))) / 5
  expect(await balanceOf(sql(), locked)).toBe(1000 - 5 * price)
  expect(await audit(sql())).toEqual([])
})

test('two processes place orders for the same accounts at the same time, and refuse none', async () => {
  const shared = await partners(3)
  const refusals = [place(locked), place(locked, newOrder(), otherApi())]
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, n) => place(shared[n % 3] as Partner, newOrder(), n % 2 === 0 ? api() : otherApi())),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect((await Promise.all(refusals)).map(({ status }) => status)).toEqual([503, 503])
  expect(await audit(sql())).toEqual([])
})

test('cancellations and redeliveries of a locked account take one connection at a time, and are answered by 503', async () => {
  await holder`rollback`
  const event = await makeEvent(sql(), locked)
  await holder`begin`
  await holder`select from supply.accounts where id = ${locked.accountId} for update`
  await holder`select from supply.events where id = ${event} for update`
  const paths = ['/b2b/orders/ord_none/cancel', `/b2b/events/${event}/redeliver`]
  const answers = Promise.all([...paths, ...paths].map((path) => api().post(path, { key: locked.key })))
  let ended = false
  let most = 0
  void answers.finally(() => {
    ended = true
  })
  while (!ended) {
    const waiting = await sql()`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    most = Math.max(most, waiting.length)
  }
  expect(most).toBe(1)
  expect((await answers).map(({ status }) => status)).toEqual([503, 503, 503, 503])
})

test('an order waits for a short lock and is placed then', async () => {
  const batches = () => batchesOf(api(), 'place_orders')
  const before = await batches()
  const placed = Promise.all([place(locked), place(locked)])
  // The lock ends once they were tried in vain.
  await expect.poll(batches, { interval: 5 }).toBeGreaterThan(before + 1)
  await holder`rollback`
  expect((await placed).map(({ status }) => status)).toEqual([201, 201])
})
