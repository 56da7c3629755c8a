import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { testDatabase } from './support/database.ts'
import { audit, balanceOf } from './support/orders.ts'
import { products } from './support/partner.ts'
import { done, underWay } from './support/servers/scripted_supplier.ts'
import { startWholeService, type WholeService } from './support/whole_service.ts'

const database = testDatabase({ catalog: true })
let service: WholeService

beforeAll(async () => {
  service = await startWholeService(database)
})
afterAll(() => service.close())
afterEach(async () => {
  service.supplier.setAnswer(() => done())
  expect(await audit(service.sql)).toEqual([])
})

const topUp = { productId: products.topUp, deliveryData: { gameUserId: '12345' } }
const expensive = { productId: products.expensive, deliveryData: { gameUserId: '12345' } }

test('a top-up is charged, sent once under the id of its item, polled and completed, and a signed webhook reports it', async () => {
  const partner = await service.partner()
  const receiver = await service.receiver(partner)
  service.supplier.setAnswer(({ method }) => (method === 'PUT' ? underWay : done()))
  const order = await service.order(partner, { items: [topUp], callbackUrl: `${receiver.url}/hook` })
  expect(order).toMatchObject({ status: 'processing', totalAmount: 10.5 })
  expect(await balanceOf(service.sql, partner)).toBe(989.5)

  const ended = await service.final(partner, order.code)
  expect(ended).toMatchObject({ status: 'completed', outcome: 'full', items: [{ status: 'completed' }] })
  expect(ended.items[0]).not.toHaveProperty('cdKeys')
  const item = order.items[0]?.id ?? ''
  const [sent, ...others] = service.supplier.requestsFor(item, 'PUT')
  expect(sent?.body).toEqual({ reference: item, sku: 'sku-101', quantity: 1, deliveryData: { gameUserId: '12345' } })
  expect(sent?.headers.authorization).toBe(`Bearer ${service.supplier.token}`)
  expect(others).toEqual([])

  const { event, headers, verified } = await receiver.waitFor(() => true, 60_000)
  expect(verified).toBe(true)
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Service-B2B-Webhook/1.0',
    'x-webhook-event': 'order.completed',
    'x-idempotency-key': event?.event_id,
    'x-webhook-signature': expect.stringMatching(/^sha256=[0-9a-f]{64}$/),
  })
  expect(event?.data).toEqual({
    orderCode: order.code,
    externalOrderId: order.externalOrderId,
    totalAmount: 10.5,
    status: 'completed',
    items: [{ productName: '100 credits', amount: 1, price: 10.5 }],
    completedAt: ended.completedAt,
  })
})

test('an order whose items all fail is refunded, and its Russian reason is cleaned everywhere', async () => {
  const partner = await service.partner()
  const receiver = await service.receiver(partner)
  service.supplier.setAnswer(() => ({
    status: 422,
    json: {
      errorCode: 'PLAYER_NOT_FOUND',
      reason: 'Игрок\u202e не найден.\nЗапрос Bearer abc к https://supplier.example.',
    },
  }))
  const order = await service.order(partner, { items: [topUp, expensive], callbackUrl: receiver.url })
  const ended = await service.final(partner, order.code)
  expect(ended).toMatchObject({
    status: 'failed',
    outcome: 'none',
    refundedAmount: 110.5,
    error: 'ORDER_FAILED',
    items: [{ errorMessage: 'Игрок не найден.' }, { errorMessage: 'Игрок не найден.' }],
  })
  expect(await balanceOf(service.sql, partner)).toBe(1000)
  const { event, verified } = await receiver.waitFor(() => true, 60_000)
  expect([verified, event?.event_type]).toEqual([true, 'order.failed'])
  expect(event?.data).toEqual({
    orderCode: order.code,
    externalOrderId: order.externalOrderId,
    totalAmount: 110.5,
    status: 'failed',
    error: 'ORDER_FAILED',
    reason: 'Игрок не найден.',
    completedAt: ended.completedAt,
  })
  const list = await service.api.get('/b2b/orders', { key: partner.key })
  expect([ended.reason, list.json.data.orders[0].reason]).toEqual(['Игрок не найден.', 'Игрок не найден.'])
})
