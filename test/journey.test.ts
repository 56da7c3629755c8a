import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { testDatabase } from './support/database.ts'
import { audit, balanceOf } from './support/orders.ts'
import { products } from './support/partner.ts'
import { type DnsServer, startDnsServer } from './support/servers/dns_server.ts'
import { type SupplierAnswer, startScriptedSupplier } from './support/servers/scripted_supplier.ts'
import { signedPush } from './support/signed.ts'
import { startWholeService, type WholeService } from './support/whole_service.ts'

const database = testDatabase()
let service: WholeService
let dns: DnsServer

beforeAll(async () => {
  dns = await startDnsServer({ 'trap.example': { a: ['10.0.0.1'] } })
  service = await startWholeService(database, { dnsServers: [dns.address] })
})
afterAll(async () => {
  await service.close()
  await dns.close()
})
afterEach(async () => {
  service.supplier.setAnswer(() => done())
  expect(await audit(service.sql)).toEqual([])
})

const done = (codes?: string[]): SupplierAnswer => ({ status: 200, json: { status: 'completed', codes } })
const failed = (errorCode: string, codes?: string[]): SupplierAnswer => ({
  status: 200,
  json: { status: 'failed', errorCode, codes },
})
const underWay: SupplierAnswer = { status: 202, json: { status: 'processing' } }

const topUp = { productId: products.topUp, deliveryData: { gameUserId: '12345' } }
const expensive = { productId: products.expensive, deliveryData: { gameUserId: '12345' } }
const keys = (quantity: number) => ({ productId: products.key, quantity })

async function eventsOf(code: string) {
  return [...(await service.sql`select * from ops.events where order_code = ${code}`)]
}

test('a top-up is charged, sent, polled and completed, and a signed webhook reports it', async () => {
  const partner = await service.partner()
  const receiver = await service.receiver(partner)
  service.supplier.setAnswer(({ method }) => (method === 'PUT' ? underWay : done()))
  const order = await service.order(partner, { items: [topUp], callbackUrl: `${receiver.url}/hook` })
  expect(order).toMatchObject({ status: 'processing', totalAmount: 10.5 })
  expect(await balanceOf(service.sql, partner)).toBe(989.5)

  const ended = await service.final(partner, order.code)
  expect(ended).toMatchObject({ status: 'completed', outcome: 'full', items: [{ status: 'completed' }] })
  expect(ended.items[0]).not.toHaveProperty('cdKeys')

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

test('a top-up is sent once, under the id of its item', async () => {
  const partner = await service.partner()
  service.supplier.setAnswer(({ nth, method }) => (method === 'GET' && nth > 1 ? done() : underWay))
  const order = await service.order(partner, { items: [{ ...topUp, quantity: 3 }] })
  const item = order.items[0]?.id ?? ''
  await service.supplier.waitForRequest(({ reference, method }) => reference === item && method === 'PUT')
  await service.final(partner, order.code)
  const puts = service.supplier.requestsFor(item, 'PUT')
  expect(puts).toHaveLength(1)
  expect(puts[0]?.body).toEqual({ reference: item, sku: 'sku-101', quantity: 3, deliveryData: { gameUserId: '12345' } })
  expect(puts[0]?.headers.authorization).toBe(`Bearer ${service.supplier.token}`)
})

test('an order without a callbackUrl has no event', async () => {
  const partner = await service.partner()
  const order = await service.order(partner, { items: [topUp] })
  await service.final(partner, order.code)
  expect(await eventsOf(order.code)).toEqual([])
})

test('the order and the webhook have as many keys as were bought', async () => {
  const partner = await service.partner()
  const receiver = await service.receiver(partner)
  service.supplier.setAnswer(() => done(['K-1', 'K-2', 'K-3']))
  const order = await service.order(partner, { items: [keys(3)], callbackUrl: receiver.url })
  const ended = await service.final(partner, order.code)
  const cdKeys = [{ code: 'K-1' }, { code: 'K-2' }, { code: 'K-3' }]
  expect(ended.items).toMatchObject([{ amount: 3, price: 20, status: 'completed', cdKeys }])
  const { event } = await receiver.waitFor(() => true, 60_000)
  expect(event?.data).toMatchObject({ items: [{ productName: 'Gift key', amount: 3, price: 20, cdKeys }] })
})

test('keys of which a part arrives are delivered, the rest is refunded, and there is no event', async () => {
  const partner = await service.partner()
  const receiver = await service.receiver(partner)
  service.supplier.setAnswer(() => failed('OUT_OF_STOCK', ['K-1']))
  const order = await service.order(partner, { items: [keys(3)], callbackUrl: receiver.url })
  const ended = await service.final(partner, order.code)
  expect(ended).toMatchObject({ status: 'failed', outcome: 'partial', totalAmount: 60, refundedAmount: 40 })
  expect(ended.items).toMatchObject([
    { status: 'completed', amount: 1, cdKeys: [{ code: 'K-1' }] },
    { status: 'failed', amount: 2 },
  ])
  expect(ended.items.reduce((sum, { price, amount }) => sum + price * amount, 0)).toBe(60)
  expect(await eventsOf(order.code)).toEqual([])
  expect(await balanceOf(service.sql, partner)).toBe(980)
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

test('an order of which some items fail is refunded for those, shows the others, and has no event', async () => {
  const partner = await service.partner()
  const receiver = await service.receiver(partner)
  service.supplier.setAnswer(({ rawBody }) => (rawBody.includes('sku-102') ? done(['K-1']) : failed('REGION_MISMATCH')))
  const order = await service.order(partner, { items: [topUp, keys(1)], callbackUrl: receiver.url })
  const ended = await service.final(partner, order.code)
  expect(ended).toMatchObject({ status: 'failed', outcome: 'partial', totalAmount: 30.5, refundedAmount: 10.5 })
  expect(ended.items[1]?.cdKeys).toEqual([{ code: 'K-1' }])
  expect(await balanceOf(service.sql, partner)).toBe(980)
  expect(await eventsOf(order.code)).toEqual([])
  expect(receiver.received).toEqual([])
})

test('an item of a supplier that fails is sent again only after a 404', async () => {
  const partner = await service.partner()
  service.supplier.setAnswer(({ method, nth }) => {
    if (method === 'PUT') return nth === 1 ? 'reset' : done()
    return nth === 1 ? { status: 500 } : { status: 404 }
  })
  const order = await service.order(partner, { items: [topUp] })
  const item = order.items[0]?.id ?? ''
  await service.asked(item)
  expect((await service.final(partner, order.code)).status).toBe('completed')
  expect(service.supplier.requestsFor(item).map(({ method }) => method)).toEqual(['PUT', 'GET', 'GET', 'PUT'])
})

test('an item of a supplier that never answers waits: it is neither refunded nor sent again', async () => {
  const partner = await service.partner()
  service.supplier.setAnswer(() => 'hang')
  const order = await service.order(partner, { items: [topUp] })
  const item = order.items[0]?.id ?? ''
  await service.asked(item)
  expect((await service.read(partner, order.code)).status).toBe('processing')
  expect(await balanceOf(service.sql, partner)).toBe(989.5)
  expect(service.supplier.requestsFor(item, 'PUT')).toHaveLength(1)
  service.supplier.setAnswer(() => done())
  expect((await service.final(partner, order.code)).status).toBe('completed')
  expect(service.supplier.requestsFor(item, 'PUT')).toHaveLength(1)
})

test.each([
  ['no JSON', { status: 200, text: 'OK' }],
  ['an unknown status', { status: 200, json: { status: 'shipped' } }],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }],
  ['a refusal of our token', { status: 401, json: { status: 'failed' } }],
] as [string, SupplierAnswer][])('an unusable answer of a supplier (%s) settles nothing', async (_, bad) => {
  const partner = await service.partner()
  service.supplier.setAnswer(() => bad)
  const order = await service.order(partner, { items: [topUp] })
  const item = order.items[0]?.id ?? ''
  await service.asked(item)
  expect(await service.read(partner, order.code)).toMatchObject({ status: 'processing', refundedAmount: 0 })
  service.supplier.setAnswer(() => done())
  await service.final(partner, order.code)
})

test('an item that is out of stock goes to the next supplier', async () => {
  const partner = await service.partner()
  const second = await startScriptedSupplier()
  await service.sql`select ops.upsert_product(400, 'space-trader', 'Two offers', 3.00, 'RUB', 'key')`
  await service.sql`select ops.upsert_supplier('second', ${second.url}, ${second.token})`
  await service.sql`select ops.upsert_offer(400, 'first', 'one', priority => 1)`
  await service.sql`select ops.upsert_offer(400, 'second', 'two', priority => 2)`
  service.supplier.setAnswer(() => failed('OUT_OF_STOCK'))
  second.setAnswer(() => done(['FROM-SECOND']))
  const order = await service.order(partner, { items: [{ productId: 400 }] })
  const ended = await service.final(partner, order.code)
  expect(ended.items).toMatchObject([{ status: 'completed', cdKeys: [{ code: 'FROM-SECOND' }] }])
  expect(second.requestsFor(order.items[0]?.id ?? '', 'PUT')).toHaveLength(1)
  await second.close()
})

test('a pushed result settles an item; a repeated push and a contradicting one change nothing', async () => {
  const partner = await service.partner()
  service.supplier.setAnswer(() => underWay)
  const order = await service.order(partner, { items: [keys(2)] })
  const reference = order.items[0]?.id ?? ''
  await service.supplier.waitForRequest((request) => request.reference === reference)
  const push = (result: object) => {
    const body = JSON.stringify({ reference, ...result })
    const headers = signedPush(body, service.supplier.token)
    return service.api.post('/suppliers/first/results', { body, headers })
  }
  const completed = { status: 'completed', codes: ['P-1', 'P-2'] }
  expect((await push(completed)).status).toBe(204)
  const ended = await service.final(partner, order.code)
  expect(ended.items).toMatchObject([{ status: 'completed', cdKeys: [{ code: 'P-1' }, { code: 'P-2' }] }])
  expect((await push(completed)).status).toBe(204)
  expect((await push({ status: 'failed' })).status).toBe(204)
  expect(await service.read(partner, order.code)).toEqual(ended)
  const [alert] = await service.sql`select count from ops.alerts where cause = 'contradicting_result:first'`
  expect(alert?.count).toBe(1)
})

test('a webhook that is refused is sent again with the same bytes and key, and a new signature', async () => {
  const partner = await service.partner()
  const receiver = await service.receiver(partner, { answer: (_, delivery) => (delivery === 1 ? 500 : 'ok') })
  const order = await service.order(partner, { items: [topUp], callbackUrl: receiver.url })
  const first = await receiver.waitFor(() => true, 60_000)
  const [event] = await eventsOf(order.code)
  await expect.poll(async () => (await eventsOf(order.code))[0]?.state).toBe('waiting')
  await service.sql`select ops.deliver_now(${event?.event_id})`
  const second = await receiver.waitFor(({ delivery }) => delivery === 2, 60_000)
  expect(second.event).toEqual(first.event)
  expect(second.headers['x-idempotency-key']).toBe(first.headers['x-idempotency-key'])
  expect([first.verified, second.verified]).toEqual([true, true])
  await expect.poll(async () => (await eventsOf(order.code))[0]?.state).toBe('delivered')
})

test("a receiver that hangs does not delay another partner's webhook", async () => {
  const slow = await service.partner()
  const quick = await service.partner()
  const hanging = await service.receiver(slow, { answer: 'hang' })
  const good = await service.receiver(quick)
  const slowOrders = await Promise.all(
    Array.from({ length: 20 }, () => service.order(slow, { items: [topUp], callbackUrl: hanging.url })),
  )
  await hanging.waitFor(() => true, 60_000)
  const order = await service.order(quick, { items: [topUp], callbackUrl: good.url })
  expect((await good.waitFor(() => true, 60_000)).event?.data.orderCode).toBe(order.code)
  for (const { code } of slowOrders) await service.final(slow, code)
})

test('a webhook to a name with a private address is not sent: it is a dead letter with an alert and an error line', async () => {
  const partner = await service.partner()
  const order = await service.order(partner, { items: [topUp], callbackUrl: 'http://trap.example/hook' })
  await expect.poll(async () => (await eventsOf(order.code))[0]?.state).toBe('dead')
  const [letter] = await service.sql`select reason, attempts from ops.dead_letters where order_code = ${order.code}`
  expect(letter).toEqual({ reason: 'blocked_address', attempts: 1 })
  const cause = `dead_letter:blocked_address:account ${partner.accountId}`
  await expect
    .poll(() => service.worker.records.filter(({ alert, level }) => alert === cause && level === 'error').length)
    .toBe(1)
})
