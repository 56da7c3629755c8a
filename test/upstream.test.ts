import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { testDatabase } from './support/database.ts'
import { audit, balanceOf } from './support/orders.ts'
import { type Partner, products } from './support/partner.ts'
import { done, underWay } from './support/servers/scripted_supplier.ts'
import { startTcpProxy, type TcpProxy } from './support/servers/tcp_proxy.ts'
import { pollNow, startWholeService, type WholeService } from './support/whole_service.ts'

/** The upstream, a whole service of which ours is a partner, and ours, whose one supplier is the upstream by `b2b`. */
const upper = testDatabase({ catalog: true })
const lower = testDatabase({ catalog: true })
let upstream: WholeService
let ours: WholeService
/** Our account at the upstream, and the way to it. */
let account: Partner
let line: TcpProxy
let partner: Partner

beforeAll(async () => {
  upstream = await startWholeService(upper)
  ours = await startWholeService(lower)
  line = await startTcpProxy(upstream.api.url)
  account = await upstream.partner({ name: 'The service below' })
  partner = await ours.partner()
  const secret = await secretOf(account, `${ours.api.url}/suppliers/upstream/webhooks`)
  await lower.sql`select ops.set_supplier_active('first', false)`
  await lower.sql`select ops.upsert_supplier('upstream', ${line.url}, ${account.key}, 'b2b', push_secret => ${secret})`
  for (const [id, cost] of [
    [products.topUp, 10.5],
    [products.key, 20],
  ] as const) {
    await lower.sql`select ops.upsert_offer(${id}, 'upstream', ${String(id)}, ${cost})`
  }
})
afterAll(async () => {
  await Promise.all([ours?.close(), upstream?.close()])
  await line?.close()
})
beforeEach(() => upstream.supplier.setAnswer(() => done()))
afterEach(async () => {
  expect([await audit(upper.sql), await audit(lower.sql)]).toEqual([[], []])
  expect(await spentUpstream()).toBe(await costBelow())
})

/** The secret of an account's webhooks, which is made as the first delivery begins. */
async function secretOf({ accountId }: Partner, url: string): Promise<string> {
  await upper.sql`select ops.send_test_event(${accountId}, ${url})`
  const secret = async () => (await upper.sql`select ops.webhook_secret(${accountId}) as secret`)[0]?.secret
  // A hook may not use `expect.poll`.
  return vi.waitUntil(secret, { timeout: 45_000, interval: 50 })
}

/** The upstream's order for one of our items. */
async function orderFor(itemId: string): Promise<{ order_code: string; status: string } | undefined> {
  const [order] = await upper.sql<{ order_code: string; status: string }[]>`
    select order_code, status from ops.orders where external_order_id = ${itemId}`
  return order
}

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
  const order = await ours.order(partner, { items })
  const item = order.items[0]?.id ?? ''
  await expect.poll(() => orderFor(item), { interval: 50 }).toBeDefined()
  return { order, item }
}

test('an item of an upstream service is one order there, and completes', async () => {
  const { order, item } = await orderThatArrives([{ ...topUp, quantity: 2 }])
  const ended = await ours.final(partner, order.code)
  expect(ended).toMatchObject({ status: 'completed', outcome: 'full', totalAmount: 21 })
  expect(await orderFor(item)).toMatchObject({ status: 'completed' })
  const [sent] = upstream.supplier.requests.filter(({ method }) => method === 'PUT')
  expect(sent?.body).toMatchObject({ sku: 'sku-101', quantity: 2, deliveryData: { gameUserId: '12345' } })
  const [attempt] = await lower.sql`select supplier_order_id from ops.order_items where item_id = ${item}`
  expect(attempt?.supplier_order_id).toBe((await orderFor(item))?.order_code)
})

test('both services and the event have the same request id', async () => {
  const body = { externalOrderId: 'traced', items: [topUp] }
  const headers = { 'X-Request-Id': 'from-the-shop' }
  const { json } = await ours.api.post('/b2b/orders', { key: partner.key, headers, body })
  await ours.final(partner, json.data.code)
  const [above] =
    await upper.sql`select external_order_id from ops.orders o join ops.find('from-the-shop') f using (order_code)`
  expect(above?.external_order_id).toBe(json.data.items[0].id)
  const event = { msg: 'request', route: '/suppliers/:code/webhooks', requestId: 'from-the-shop' }
  await expect.poll(() => ours.api.records).toContainEqual(expect.objectContaining(event))
})

test('an order that is delivered in part upstream is delivered in part, and both refund the rest', async () => {
  upstream.supplier.setAnswer(() => ({
    status: 200,
    json: { status: 'failed', errorCode: 'OUT_OF_STOCK', codes: ['P-1'] },
  }))
  const { order } = await orderThatArrives([keys(3)])
  const ended = await ours.final(partner, order.code)
  expect(ended).toMatchObject({ status: 'failed', outcome: 'partial', refundedAmount: 40 })
  expect(ended.items).toMatchObject([
    { status: 'completed', amount: 1, cdKeys: [{ code: 'P-1' }] },
    { status: 'failed', amount: 2 },
  ])
})

/** An order that the upstream has finished, and that we plan to ask for in an hour. */
async function finishedAbove() {
  upstream.supplier.setAnswer(() => underWay)
  const { order, item } = await orderThatArrives([topUp])
  const planned = async () => {
    const rows = await lower.sql`
      update supply.order_items set next_check_at = now() + interval '1 hour'
      where id = ${item} and lease_expires_at is null and supplier_order_id is not null returning id`
    return rows.length
  }
  await expect.poll(planned, { interval: 50 }).toBe(1)
  upstream.supplier.setAnswer(() => done())
  await pollNow(upper.sql)
  return { order, item }
}

test('a webhook from upstream makes the service ask at once', async () => {
  const { order, item } = await finishedAbove()
  const status = async () => (await ours.read(partner, order.code)).status
  await expect.poll(status, { interval: 50 }).toBe('completed')
  const events = await lower.sql`select supplier from supply.supplier_events where item_id = ${item}`
  expect([...events]).toEqual([{ supplier: 'upstream' }])
})

test('a webhook from upstream that is lost is made up for by polling', async () => {
  const set = (secret: string) => lower.sql`update supply.suppliers set push_secret = ${secret}`
  const [known] = await lower.sql`select push_secret from supply.suppliers`
  await set('another secret')
  const { order, item } = await finishedAbove()
  const { order_code } = (await orderFor(item)) ?? {}
  const event = async () => {
    const [row] = await upper.sql`select state from ops.events where order_code = ${order_code ?? ''}`
    return row?.state
  }
  await expect.poll(event, { interval: 50 }).toBe('dead')
  expect(await ours.read(partner, order.code)).toMatchObject({ status: 'processing' })
  await set(known?.push_secret)
  expect(await ours.final(partner, order.code)).toMatchObject({ status: 'completed' })
})

test('an item waits while the balance upstream is spent, operators are alerted, and it goes on after a deposit', async () => {
  const { accountId } = account
  const balance = await balanceOf(upper.sql, account)
  await upper.sql`select ops.adjust(${accountId}, ${-balance}, 'spent elsewhere', 'a test')`
  const order = await ours.order(partner, { items: [topUp] })
  const told = async () => {
    const rows = await lower.sql`select what from ops.attention where subject like '%upstream%'`
    return rows.map(({ what }) => what)
  }
  await expect.poll(told, { interval: 50 }).toContain('supplier balance')
  expect(await ours.read(partner, order.code)).toMatchObject({ status: 'processing', refundedAmount: 0 })
  expect(await orderFor(order.items[0]?.id ?? '')).toBeUndefined()
  // Nothing is charged above before it is placed there.
  await upper.sql`select ops.deposit(${accountId}, 500, 'a deposit upstream')`
  expect(await ours.final(partner, order.code)).toMatchObject({ status: 'completed' })
  await expect.poll(told, { interval: 50 }).not.toContain('supplier balance')
})

test('an upstream that could not be reached has each order once when it can be', async () => {
  upstream.supplier.setAnswer(() => underWay)
  const { order: accepted, item } = await orderThatArrives([topUp])
  line.set('refuse')
  const waiting = await ours.order(partner, { items: [topUp] })
  const tried = async () => {
    await pollNow(lower.sql)
    const rows = await lower.sql`
      select distinct item_id from ops.supplier_attempts
      where item_id in (${item}, ${waiting.items[0]?.id ?? ''}) and outcome in ('unknown', 'not_placed')`
    return rows.length
  }
  await expect.poll(tried, { interval: 50 }).toBe(2)
  expect(await ours.read(partner, waiting.code)).toMatchObject({ status: 'processing', refundedAmount: 0 })
  line.set('pass')
  upstream.supplier.setAnswer(() => done())
  for (const { code } of [accepted, waiting]) {
    expect(await ours.final(partner, code)).toMatchObject({ status: 'completed' })
  }
  const [sums] = await upper.sql`
    select count(*)::int as orders, count(distinct external_order_id)::int as items from ops.orders`
  expect(sums?.orders).toBe(sums?.items)
})
