import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { testDatabase } from './support/database.ts'
import { audit } from './support/orders.ts'
import { products } from './support/partner.ts'
import { done, underWay } from './support/servers/scripted_supplier.ts'
import { startWholeService, type WholeService } from './support/whole_service.ts'

const database = testDatabase({ catalog: true })
let service: WholeService

beforeAll(async () => {
  service = await startWholeService(database)
})
afterAll(() => service?.close())
afterEach(async () => {
  expect(await audit(service.sql)).toEqual([])
})

const traceId = 'a'.repeat(31)
const traceparentOf = (last: string) => `00-${traceId}${last}-00f067aa0ba902b7-01`

/** An order for a top-up, from its placing to its webhook. */
async function follow(headers: Record<string, string>, repeated: Record<string, string>[] = []) {
  const partner = await service.partner()
  const receiver = await service.receiver(partner)
  service.supplier.setAnswer(({ method }) => (method === 'PUT' ? underWay : done()))
  const body = {
    externalOrderId: 'mine',
    callbackUrl: `${receiver.url}/hook`,
    items: [{ productId: products.topUp, deliveryData: { gameUserId: '12345' } }],
  }
  const placed = await service.api.post('/b2b/orders', { key: partner.key, headers, body })
  expect(placed.status).toBe(201)
  for (const again of repeated) {
    const answer = await service.api.post('/b2b/orders', { key: partner.key, headers: again, body })
    expect(answer.status).toBe(200)
  }
  const { code, items } = placed.json.data
  const delivery = await receiver.waitFor(() => true, 60_000)
  const item = items[0].id as string
  const requestId = String(placed.headers['x-request-id'])
  return { code, item, requestId, calls: service.supplier.requestsFor(item), delivery }
}

const inLogs = (field: string, id: string) =>
  [...service.api.records, ...service.worker.records].filter((record) => record[field] === id)

const found = async (text: string) => [...(await service.sql`select kind, order_code, detail from ops.find(${text})`)]

test('one id finds an order in both logs, at the supplier, in the webhook and for operators', async () => {
  const headers = { 'X-Request-Id': 'shop-4711', traceparent: traceparentOf('1') }
  const { code, item, calls, delivery } = await follow(headers)
  expect(calls.map(({ method }) => method)).toEqual(['PUT', 'GET'])
  const sent = { 'x-request-id': 'shop-4711', traceparent: traceparentOf('1') }
  for (const call of calls) expect(call.headers).toMatchObject(sent)
  expect(delivery.headers).toMatchObject(sent)

  const expected = [
    { msg: 'request', level: 'info', route: '/b2b/orders', status: 201 },
    { msg: 'supplier call', item, method: 'put', status: 202, outcome: 'processing' },
    { msg: 'supplier call', level: 'info', item, method: 'get', status: 200, outcome: 'completed' },
    { msg: 'delivery', level: 'info', attempt: 1, status: 200, outcome: 'answered', verdict: 'delivered' },
  ]
  for (const [field, id] of [
    ['requestId', 'shop-4711'],
    ['traceId', `${traceId}1`],
  ] as const) {
    await expect.poll(() => inLogs(field, id).filter(({ msg }) => msg === 'delivery')).toHaveLength(1)
    expect(inLogs(field, id)).toMatchObject(expected)
  }

  for (const id of ['shop-4711', `${traceId}1`, traceparentOf('1')]) {
    expect(await found(id)).toMatchObject([{ kind: 'order', order_code: code }])
    const [placing] = await service.sql`select what, detail from ops.order_story(${id})`
    expect(placing?.detail).toMatch(new RegExp(`; request shop-4711; trace ${traceId}1$`))
  }
})

test('an order whose request named nothing has the id that the API gave it, and a webhook with no more headers than specified', async () => {
  const { code, requestId, calls, delivery } = await follow({ traceparent: traceparentOf('2').toUpperCase() })
  for (const { headers } of calls) {
    expect(headers['x-request-id']).toBe(requestId)
    expect(headers).not.toHaveProperty('traceparent')
  }
  expect(Object.keys(delivery.headers).sort()).toEqual([
    ...['connection', 'content-length', 'content-type', 'host', 'user-agent', 'x-idempotency-key'],
    ...['x-webhook-event', 'x-webhook-signature', 'x-webhook-timestamp'],
  ])
  expect(await found(requestId)).toMatchObject([{ order_code: code }])
  expect(inLogs('traceId', `${traceId}2`)).toEqual([])
})

test('a repeat keeps the id of the first request', async () => {
  const first = { 'X-Request-Id': 'repeat-1', traceparent: traceparentOf('3') }
  const { code, calls, delivery } = await follow(first, [
    { 'X-Request-Id': 'repeat-2', traceparent: traceparentOf('4') },
    {},
  ])
  for (const { headers } of [...calls, delivery]) {
    expect(headers).toMatchObject({ 'x-request-id': 'repeat-1', traceparent: traceparentOf('3') })
  }
  expect(await found('repeat-1')).toMatchObject([{ order_code: code }])
  expect(await found('repeat-2')).toEqual([])
  expect(await found(`${traceId}4`)).toEqual([])
})
