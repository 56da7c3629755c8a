import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { testDatabase } from './support/database.ts'
import { audit, balanceOf } from './support/orders.ts'
import { products } from './support/partner.ts'
import type { SupplierAnswer } from './support/servers/scripted_supplier.ts'
import { startTwoServices, type TwoServices } from './support/servers/two_services.ts'

const upper = testDatabase()
const lower = testDatabase()
let services: TwoServices

beforeAll(async () => {
  services = await startTwoServices(upper, lower)
})
afterAll(() => services?.close())
beforeEach(() => services.upstream.supplier.setAnswer(() => done()))
afterEach(async () => {
  expect([await audit(upper.sql), await audit(lower.sql)]).toEqual([[], []])
  expect(await spentUpstream()).toBe(await costBelow())
})

const done = (codes?: string[]): SupplierAnswer => ({ status: 200, json: { status: 'completed', codes } })
const underWay: SupplierAnswer = { status: 202, json: { status: 'processing' } }

const topUp = { productId: products.topUp, deliveryData: { gameUserId: '12345' } }
const keys = (quantity: number) => ({ productId: products.key, quantity })

/** What the upstream charged us, less what it gave back. */
async function spentUpstream(): Promise<number> {
  const [row] = await upper.sql`select coalesce(-sum(amount), 0) as spent from ops.ledger where type like 'order%'`
  return Number(row?.spent)
}

/** What our own books say that our orders cost us. */
async function costBelow(): Promise<number> {
  const [row] = await lower.sql`select coalesce(sum(cost), 0) as cost from ops.margins()`
  return Number(row?.cost)
}

/** Places an order with us, and waits until the upstream has it. */
async function orderThatArrives(items: object[]) {
  const order = await services.ours.order(items)
  const item = order.items[0]?.id ?? ''
  await expect.poll(() => services.upstream.orderFor(item), { interval: 20 }).toBeDefined()
  return { order, item }
}

test('an item of an upstream service is one order there, and completes', async () => {
  const { ours, upstream } = services
  const { order, item } = await orderThatArrives([{ ...topUp, quantity: 2 }])
  const ended = await ours.settled(order.code)
  expect(ended).toMatchObject({ status: 'completed', outcome: 'full', totalAmount: 21 })
  expect(await upstream.orderFor(item)).toMatchObject({ status: 'completed' })
  const [sent] = upstream.supplier.requests.filter(({ method }) => method === 'PUT')
  expect(sent?.body).toMatchObject({ sku: 'sku-101', quantity: 2, deliveryData: { gameUserId: '12345' } })
  const [attempt] = await lower.sql`select supplier_order_id from ops.order_items where item_id = ${item}`
  expect(attempt?.supplier_order_id).toBe((await upstream.orderFor(item))?.order_code)
})

test('both services and the event have the same request id', async () => {
  const { ours } = services
  const body = { externalOrderId: 'traced', items: [topUp] }
  const headers = { 'X-Request-Id': 'from-the-shop' }
  const { json } = await ours.api.post('/b2b/orders', { key: ours.partner.key, headers, body })
  await ours.settled(json.data.code)
  const [above] =
    await upper.sql`select external_order_id from ops.orders o join ops.find('from-the-shop') f using (order_code)`
  expect(above?.external_order_id).toBe(json.data.items[0].id)
  const event = { msg: 'request', route: '/suppliers/:code/webhooks', requestId: 'from-the-shop' }
  await expect.poll(() => ours.api.records).toContainEqual(expect.objectContaining(event))
})

test('keys of an upstream service arrive', async () => {
  services.upstream.supplier.setAnswer(() => done(['K-1', 'K-2']))
  const { order } = await orderThatArrives([keys(2)])
  const ended = await services.ours.settled(order.code)
  expect(ended.items).toMatchObject([{ status: 'completed', cdKeys: [{ code: 'K-1' }, { code: 'K-2' }] }])
})

test('an order that fails upstream fails with the same reason, and both are refunded', async () => {
  const reason = 'Игрок не найден.'
  services.upstream.supplier.setAnswer(() => ({ status: 422, json: { errorCode: 'PLAYER_NOT_FOUND', reason } }))
  const before = await balanceOf(upper.sql, services.upstream.account)
  const { order } = await orderThatArrives([topUp])
  const ended = await services.ours.settled(order.code)
  expect(ended).toMatchObject({ status: 'failed', outcome: 'none', reason, refundedAmount: 10.5 })
  expect(ended.items).toMatchObject([{ errorCode: 'PLAYER_NOT_FOUND' }])
  expect(await balanceOf(upper.sql, services.upstream.account)).toBe(before)
})

test('an order that is delivered in part upstream is delivered in part, and both refund the rest', async () => {
  services.upstream.supplier.setAnswer(() => ({
    status: 200,
    json: { status: 'failed', errorCode: 'OUT_OF_STOCK', codes: ['P-1'] },
  }))
  const { order } = await orderThatArrives([keys(3)])
  const ended = await services.ours.settled(order.code)
  expect(ended).toMatchObject({ status: 'failed', outcome: 'partial', refundedAmount: 40 })
  expect(ended.items).toMatchObject([
    { status: 'completed', amount: 1, cdKeys: [{ code: 'P-1' }] },
    { status: 'failed', amount: 2 },
  ])
})

test('an order that the upstream refuses for stock fails, and costs nothing', async () => {
  const set = (inStock: boolean) => upper.sql`
    update supply.products set in_stock = ${inStock} where id = ${products.key}`
  await set(false)
  const order = await services.ours.order([keys(1)])
  expect(await services.ours.settled(order.code)).toMatchObject({
    status: 'failed',
    items: [{ errorCode: 'OUT_OF_STOCK' }],
  })
  expect(await services.upstream.orderFor(order.items[0]?.id ?? '')).toBeUndefined()
  await set(true)
})

/** An order that the upstream has finished, and that we plan to ask for in an hour. */
async function finishedAbove() {
  const { upstream } = services
  upstream.supplier.setAnswer(() => underWay)
  const { order, item } = await orderThatArrives([topUp])
  const planned = async () => {
    const rows = await lower.sql`
      update supply.order_items set next_check_at = now() + interval '1 hour'
      where id = ${item} and lease_expires_at is null and supplier_order_id is not null returning id`
    return rows.length
  }
  await expect.poll(planned, { interval: 20 }).toBe(1)
  upstream.supplier.setAnswer(() => done())
  await upstream.pollNow()
  return { order, item }
}

test('a webhook from upstream makes the service ask at once', async () => {
  const { order, item } = await finishedAbove()
  const status = async () => (await services.ours.read(order.code)).status
  await expect.poll(status, { interval: 50 }).toBe('completed')
  const events = await lower.sql`select supplier from supply.supplier_events where item_id = ${item}`
  expect([...events]).toEqual([{ supplier: 'upstream' }])
})

test('a webhook from upstream that is lost is made up for by polling', async () => {
  const set = (secret: string) => lower.sql`update supply.suppliers set push_secret = ${secret}`
  const [known] = await lower.sql`select push_secret from supply.suppliers`
  await set('another secret')
  const { order, item } = await finishedAbove()
  const { order_code } = (await services.upstream.orderFor(item)) ?? {}
  const event = async () => {
    const [row] = await upper.sql`select state from ops.events where order_code = ${order_code ?? ''}`
    return row?.state
  }
  await expect.poll(event, { interval: 50 }).toBe('dead')
  expect(await services.ours.read(order.code)).toMatchObject({ status: 'processing' })
  await set(known?.push_secret)
  expect(await services.ours.settled(order.code)).toMatchObject({ status: 'completed' })
})

test('an item waits while the balance upstream is spent, operators are alerted, and it goes on after a deposit', async () => {
  const { ours, upstream } = services
  const { accountId } = upstream.account
  const balance = await balanceOf(upper.sql, upstream.account)
  await upper.sql`select ops.adjust(${accountId}, ${-balance}, 'spent elsewhere', 'a test')`
  const order = await ours.order([topUp])
  const told = async () => {
    const rows = await lower.sql`select what from ops.attention where subject like '%upstream%'`
    return rows.map(({ what }) => what)
  }
  await expect.poll(told, { interval: 50 }).toContain('supplier balance')
  expect(await ours.read(order.code)).toMatchObject({ status: 'processing', refundedAmount: 0 })
  expect(await upstream.orderFor(order.items[0]?.id ?? '')).toBeUndefined()
  // Nothing is charged above before it is placed there.
  await upper.sql`select ops.deposit(${accountId}, 500, 'a deposit upstream')`
  expect(await ours.settled(order.code)).toMatchObject({ status: 'completed' })
  await expect.poll(told, { interval: 50 }).not.toContain('supplier balance')
})

test('an upstream that was killed has each order once when it runs again', async () => {
  const { ours, upstream } = services
  upstream.supplier.setAnswer(() => underWay)
  const { order: accepted, item } = await orderThatArrives([topUp])
  upstream.kill()
  const waiting = await ours.order([topUp])
  const tried = async () => {
    await ours.pollNow()
    const rows = await lower.sql`
      select distinct item_id from ops.supplier_attempts
      where item_id in (${item}, ${waiting.items[0]?.id ?? ''}) and outcome in ('unknown', 'not_placed')`
    return rows.length
  }
  await expect.poll(tried, { interval: 50 }).toBe(2)
  expect(await ours.read(waiting.code)).toMatchObject({ status: 'processing', refundedAmount: 0 })
  await upstream.restart()
  upstream.supplier.setAnswer(() => done())
  for (const { code } of [accepted, waiting]) {
    expect(await ours.settled(code)).toMatchObject({ status: 'completed' })
  }
  const [sums] = await upper.sql`
    select count(*)::int as orders, count(distinct external_order_id)::int as items from ops.orders`
  expect(sums?.orders).toBe(sums?.items)
})
