import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { type Deliveries, startDeliveries } from '../support/deliveries.ts'
import { place } from '../support/orders.ts'
import { makePartner, products } from '../support/partner.ts'
import { testApi } from '../support/service.ts'
import { startTestWorker } from '../support/whole_service.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
const api = testApi(() => database.url)
let deliveries: Deliveries

// Polls never come: a job that is due later runs only because its worker wakes for it.
const pollIntervalMs = 86_400_000

beforeAll(async () => {
  deliveries = await startDeliveries(database)
  await deliveries.worker.stop()
  deliveries.worker = await startTestWorker(database.url, {}, { pollIntervalMs })
})
afterAll(() => deliveries.close())

test('a supplier is asked after each polling step without a poll of the queue', async () => {
  const { supplier } = deliveries
  // Before the order: a worker calls within milliseconds.
  supplier.setAnswer(({ method, nth }) => {
    const status = method === 'GET' && nth === 2 ? 'completed' : 'processing'
    return { status: 200, json: { status } }
  })
  const { body } = await place(sql(), await makePartner(sql()))
  const item = body.items[0]?.id ?? ''
  await supplier.waitForRequest(({ reference, method, nth }) => reference === item && method === 'GET' && nth === 2)
  supplier.setAnswer(() => ({ status: 200, json: { status: 'completed' } }))
})

test('the rung of an event that waits for another attempt is notified with its time', async () => {
  const notified: string[] = []
  const { unlisten } = await sql().listen('jobs:insert', (message) => notified.push(message))
  deliveries.receiver.answer(() => ({ status: 429, headers: { 'Retry-After': '5' } }))
  await place(sql(), await makePartner(sql()), { callbackUrl: deliveries.receiver.url })
  await expect.poll(() => notified).toContainEqual(expect.stringMatching(/^deliver_waiting [1-5]\d{3}$/))
  await unlisten()
})

test('a simulated order that the API planned ends without a poll of the queue', async () => {
  const { key } = await makePartner(sql(), { mode: 'test' })
  const items = [{ productId: products.topUp, deliveryData: { gameUserId: '123' } }]
  const placed = await api().post('/simulation/orders', { key, body: { externalOrderId: 'soon', items } })
  const status = async () => {
    const { json } = await api().get(`/simulation/orders/${placed.json.data.code}`, { key })
    return json.data.status
  }
  await expect.poll(status).toBe('completed')
})

test('a worker that ends beats until its calls have ended, so that no other one takes them over, and reads nothing', async () => {
  const { supplier, worker } = deliveries
  const answered = Promise.withResolvers<void>()
  supplier.setAnswer(async () => {
    await answered.promise
    return { status: 200, json: { status: 'completed' } }
  })
  const { body } = await place(sql(), await makePartner(sql()))
  const item = body.items[0]?.id ?? ''
  await supplier.waitForRequest(({ reference }) => reference === item)
  const stopped = worker.stop()
  await sql()`update supply.supplier_balances set due_at = now()`
  const seenAt = async () => {
    const [row] = await sql()`select max(seen_at)::text as at from supply.worker_pools`
    return row?.at
  }
  // The first one may have begun before the end.
  for (const _ of [1, 2]) {
    const before = await seenAt()
    await expect.poll(seenAt).not.toBe(before)
  }
  answered.resolve()
  await stopped
  const [row] = await sql()`select status from supply.order_items where id = ${item}`
  expect(row?.status).toBe('completed')
  expect(await sql()`select from supply.supplier_balances where due_at > now()`).toEqual([])
  deliveries.worker = await startTestWorker(database.url, {}, { pollIntervalMs })
})
