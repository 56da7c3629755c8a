import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { magicPlayerIds } from '../../../src/simulation/scenarios.ts'
import { testDatabase } from '../../support/database.ts'
import { audit } from '../../support/orders.ts'
import { makePartner, type Partner, products } from '../../support/partner.ts'
import { shapeOf, withoutRequestId } from '../../support/service.ts'
import { realTraces, startWholeService, type WholeService } from '../../support/whole_service.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
let service: WholeService
let partner: Partner

beforeAll(async () => {
  service = await startWholeService(database)
  // Without any money.
  partner = await makePartner(sql(), { mode: 'test', balance: 0 })
})
afterAll(() => service.close())

let counter = 0
function orderBody(items: object[], more: object = {}) {
  counter += 1
  return { externalOrderId: `drive-${counter}`, items, ...more }
}
const topUp = (player = '123') => ({ productId: products.topUp, deliveryData: { gameUserId: player } })
const keys = (quantity: number, player = '123') => ({
  ...{ productId: products.key, quantity },
  deliveryData: { gameUserId: player },
})

const simulate = (body: unknown, key = partner.key, headers = {}) =>
  service.api.post('/simulation/orders', { key, body, headers })
const read = (code: string, key = partner.key) => service.api.get(`/simulation/orders/${code}`, { key })

/** As if the time until the order ends had passed; the worker can hold the order at that moment, and ends it then. */
async function timePasses(code: string): Promise<void> {
  const [order] = await sql()`
    update supply.simulated_orders set created_at = created_at - interval '1 minute' where code = ${code} returning id`
  await sql()`select work.settle_simulated_order(${order?.id})`
  const due = () => sql()`select from supply.simulated_orders where code = ${code} and due_at is not null`
  await expect.poll(async () => (await due()).length).toBe(0)
}

/** Asks for a simulated order that must be accepted, has its time pass, and gives it. */
async function driven(body: object) {
  const { status, json } = await simulate(body)
  expect({ status, json }).toMatchObject({ status: 201, json: { success: true } })
  const { code } = json.data
  await timePasses(code)
  return (await read(code)).json.data
}

describe('a simulated order', () => {
  test('is processing, then completes, and its webhook arrives signed', async () => {
    const receiver = await service.receiver(partner)
    const body = orderBody([topUp(), keys(2)], { callbackUrl: receiver.url })
    const { status, headers, json } = await simulate(body)
    expect(status).toBe(201)
    expect(headers['cache-control']).toBe('no-store')
    expect(json.data).toMatchObject({
      ...{ code: expect.stringMatching(/^sim_[0-9a-f]{32}$/), externalOrderId: body.externalOrderId },
      ...{ status: 'processing', totalAmount: 50.5, simulated: true },
      items: [{ status: 'processing' }, { status: 'processing', amount: 2 }],
    })
    const { code } = json.data
    const { event, headers: sent, verified } = await receiver.waitFor(() => true, 60_000)
    expect(verified).toBe(true)
    expect(event).toMatchObject({
      event_type: 'order.completed',
      data: { orderCode: code, externalOrderId: body.externalOrderId, totalAmount: 50.5 },
    })
    await expect.poll(async () => (await read(code)).json.data.deliveries?.state).toBe('delivered')
    const ended = (await read(code)).json.data
    expect(ended).toMatchObject({
      ...{ status: 'completed', outcome: 'full', completedAt: expect.any(String) },
      deliveries: {
        ...{ eventId: sent['x-idempotency-key'], attempts: 1, nextAttemptAt: null },
        ...{ lastStatus: 200, lastError: null },
      },
    })
    const delivered = ended.items.map(({ cdKeys }: { cdKeys?: object[] }) => cdKeys?.length)
    expect(delivered).toEqual([undefined, 2])
    expect(ended.items[1].cdKeys[0].code).toMatch(/^SIMULATED-/)
    expect(new Date(ended.completedAt).getTime() - new Date(ended.createdAt).getTime()).toBeGreaterThanOrEqual(2_000)
  })

  test.each([
    ['00', { status: 'failed', outcome: 'none', refundedAmount: 60 }, [['failed', 3, 'PLAYER_NOT_FOUND']]],
    ['01', { status: 'failed', outcome: 'none' }, [['failed', 3, 'SUPPLIER_ERROR']]],
    [
      '02',
      { status: 'failed', outcome: 'partial', refundedAmount: 40 },
      [
        ['completed', 1, null],
        ['failed', 2, 'OUT_OF_STOCK'],
      ],
    ],
    ['03', { status: 'completed', outcome: 'full' }, [['completed', 3, null]]],
    ['04', { status: 'completed' }, [['completed', 3, null]]],
    ['05', { status: 'processing', outcome: null, completedAt: null }, [['processing', 3, null]]],
    ['06', { status: 'completed' }, [['completed', 3, null]]],
  ])('of a player id that ends with %s ends as the table says', async (digits, order, items) => {
    const ended = await driven(orderBody([keys(3, `77${digits}`)]))
    expect(ended).toMatchObject({ totalAmount: 60, ...order })
    const told = ended.items.map((item: { status: string; amount: number; errorCode: string | null }) => [
      ...[item.status, item.amount, item.errorCode],
    ])
    expect(told).toEqual(items)
    if (ended.status === 'failed') expect(ended.reason).toMatch(/[А-Яа-я]/)
    expect(magicPlayerIds.map((magic) => magic.digits)).toContain(digits)
  })

  test('ends item by item, each at its own time', async () => {
    const { code } = (await simulate(orderBody([topUp('100'), topUp('104')]))).json.data
    const statuses = async () => (await read(code)).json.data.items.map(({ status }: { status: string }) => status)
    await expect.poll(statuses, { interval: 25 }).toEqual(['failed', 'processing'])
    expect((await read(code)).json.data).toMatchObject({ status: 'processing', outcome: null })
    await timePasses(code)
    expect((await read(code)).json.data).toMatchObject({
      ...{ status: 'failed', outcome: 'partial', refundedAmount: 10.5, deliveries: null },
    })
  })

  test.each([
    ['00', 'order.failed'],
    ['04', 'order.completed'],
  ])('has an event with the members of a real one: …%s', async (digits, type) => {
    const rich = await service.partner()
    service.supplier.setAnswer(() =>
      digits === '00'
        ? { status: 422, json: { errorCode: 'PLAYER_NOT_FOUND', reason: 'Игрок не найден.' } }
        : { status: 200, json: { status: 'completed', codes: ['A'] } },
    )
    const callbackUrl = 'http://127.0.0.1:9/'
    const placed = await service.order(rich, { items: [keys(1)], callbackUrl })
    const real = await service.final(rich, placed.code)
    const { code } = await driven(orderBody([keys(1, digits)], { callbackUrl }))
    // A worker that has locked the order may be about to end it.
    await expect.poll(async () => (await read(code)).json.data.status).not.toBe('processing')
    const simulated = (await read(code)).json.data
    expect(shapeOf({ ...simulated, deliveries: null })).toEqual(
      shapeOf({ ...withoutDeliveries(real), simulated: true, deliveries: null }),
    )
    const bodyOf = async (code: string) => {
      const [event] = await sql()`select body, event_type from supply.events where order_code = ${code}`
      expect(event?.event_type).toBe(type)
      return JSON.parse(event?.body)
    }
    expect(shapeOf(await bodyOf(simulated.code))).toEqual(shapeOf(await bodyOf(real.code)))
  })

  test('with a partial result, or without a callbackUrl, has no event', async () => {
    const partial = await driven(orderBody([keys(2, '02')], { callbackUrl: 'http://127.0.0.1:9/' }))
    const silent = await driven(orderBody([topUp('04')]))
    expect([partial.outcome, silent.outcome]).toEqual(['partial', 'full'])
    expect([partial.deliveries, silent.deliveries]).toEqual([null, null])
    const codes = [partial.code, silent.code]
    expect(await sql()`select from supply.events where order_code = any(${codes})`).toHaveLength(0)
  })

  test('does not show whether the host of its callbackUrl exists', async () => {
    const { code } = await driven(orderBody([topUp()], { callbackUrl: 'http://nowhere.invalid/' }))
    await expect.poll(async () => (await read(code)).json.data.deliveries.state).toBe('sending')
    const [event] = await sql()`select id from supply.events where order_code = ${code}`
    const dead = () => sql()`select from supply.events where id = ${event?.id} and state = 'dead'`
    await expect.poll(async () => (await dead()).length).toBe(1)
    await sql()`update supply.delivery_attempts set started_at = now() - interval '15 s' where event_id = ${event?.id}`
    expect((await read(code)).json.data.deliveries).toMatchObject({
      ...{ state: 'dead', attempts: 1, lastStatus: null, lastError: 'host_unreachable' },
    })
  })

  test('may cost more than any balance', async () => {
    await sql()`select ops.upsert_product(900, 'space-trader', 'Much', 9999999999.99, 'RUB', 'id_only', '[]',
      max_quantity => 2147483647)`
    await sql()`select ops.upsert_offer(900, supplier, 'sku-900') from ops.offers where product_id = ${products.topUp}`
    const item = { productId: 900, quantity: 2_147_483_647, deliveryData: { gameUserId: '00' } }
    const ended = await driven(orderBody(Array(50).fill(item)))
    const total = 9_999_999_999.99 * 2_147_483_647 * 50
    expect(ended).toMatchObject({ status: 'failed', totalAmount: total, refundedAmount: total })
  })

  test('changes no balance, ledger or order, and calls no supplier', async () => {
    const before = await realTraces(service, partner)
    const { code } = await driven(orderBody([topUp(), keys(1)]))
    expect(await realTraces(service, partner)).toEqual(before)
    expect(await audit(sql())).toEqual([])
    expect((await service.api.get(`/b2b/orders/${code}`, { key: partner.key })).status).toBe(404)
    expect((await service.api.get('/b2b/orders', { key: partner.key })).json.data.orders).toEqual([])
  })
})

describe('a repeated request', () => {
  test('is answered by the simulated order as it is now, and by 409 for another order', async () => {
    const body = orderBody([topUp('04')])
    const { code } = (await simulate(body)).json.data
    await timePasses(code)
    const again = await simulate(body)
    expect(again).toMatchObject({
      status: 200,
      headers: { 'idempotent-replayed': 'true' },
      json: { data: { code, status: 'completed' } },
    })
    const other = await simulate({ ...body, items: [topUp('01')] })
    expect(other).toMatchObject({
      status: 409,
      json: { code: 'IDEMPOTENCY_KEY_REUSED', orderCode: code, details: [{ path: 'items' }] },
    })
    expect((await simulate(body, partner.key, { 'x-idempotency-key': 'another' })).status).toBe(201)
  })
})

describe('a request for a simulated order', () => {
  test.each([
    [400, 'VALIDATION_ERROR', {}],
    [400, 'INVALID_CALLBACK_URL', orderBody([topUp()], { callbackUrl: 'http://10.0.0.1/' })],
    [422, 'PRICE_CHANGED', orderBody([{ ...topUp(), maxPrice: 1 }])],
  ])('is refused by %i %s, as that for an order', async (status, code, body) => {
    const answer = await simulate(body)
    expect(answer).toMatchObject({ status, json: { success: false, code, details: expect.any(Array) } })
    const placed = await service.api.post('/b2b/orders', { key: partner.key, body })
    expect(withoutRequestId(answer.json)).toEqual(withoutRequestId(placed.json))
  })

  test('is refused for more than a thousand keys', async () => {
    const many = Array.from({ length: 11 }, () => keys(100))
    expect(await simulate(orderBody(many))).toMatchObject({
      status: 422,
      json: { code: 'QUANTITY_OUT_OF_RANGE', details: [{ path: 'items' }] },
    })
  })
})

describe('the routes of simulated orders', () => {
  const forbidden = {
    status: 403,
    json: { error: 'Forbidden', message: 'Simulation is only available for test accounts' },
  }

  test('are closed to live accounts', async () => {
    const live = await makePartner(sql())
    expect(await simulate({}, live.key)).toMatchObject(forbidden)
    expect(await read('sim_x', live.key)).toMatchObject(forbidden)
  })

  test('show no order of another account', async () => {
    const other = await makePartner(sql(), { mode: 'test' })
    const { code } = (await simulate(orderBody([topUp()]))).json.data
    expect((await read(code)).status).toBe(200)
    for (const [asked, key] of [
      [code, other.key],
      ['sim_unknown', partner.key],
      ['..%2F..', partner.key],
    ]) {
      expect(await read(asked ?? '', key)).toMatchObject({ status: 404, json: { code: 'ORDER_NOT_FOUND' } })
    }
  })
})

describe('the simulated orders of an account', () => {
  const fill = ({ accountId }: Partner, count: number, dueAt: string | null, age: string) => sql()`
    insert into supply.simulated_orders (code, account_id, idempotency_key, external_order_id, request_items, total_amount,
      currency, parts, due_at, created_at)
    select 'sim_' || replace(gen_random_uuid()::text, '-', ''), ${accountId}, gen_random_uuid()::text, 'x', '[]', 1, 'RUB', '{}',
      ${dueAt}::timestamptz, now() - ${age}::interval
    from generate_series(1, ${count}::int)`
  const countOf = async ({ accountId }: Partner) => {
    const rows = await sql()`select from supply.simulated_orders where account_id = ${accountId}`
    return rows.length
  }

  test('are at most a hundred under way', async () => {
    const crowded = await makePartner(sql(), { mode: 'test' })
    await fill(crowded, 99, '2999-01-01', '1 hour')
    expect((await simulate(orderBody([topUp('04')]), crowded.key)).status).toBe(201)
    expect(await simulate(orderBody([topUp()]), crowded.key)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '60' },
      json: { code: 'RATE_LIMITED', error: 'Too many simulated orders are open', retryAfter: 60 },
    })
  })

  test('are at most sixty in a minute', async () => {
    const busy = await makePartner(sql(), { mode: 'test' })
    await sql()`select core.count_hits('simulated orders', array[${busy.accountId}::text], '{59}', '{60}')`
    expect((await simulate(orderBody([topUp()]), busy.key)).status).toBe(201)
    expect(await simulate(orderBody([topUp()]), busy.key)).toMatchObject({
      status: 429,
      json: { code: 'RATE_LIMITED', error: 'Too many simulated orders', retryAfter: expect.any(Number) },
    })
  })

  test('are refused while a hundred simulated events are open', async () => {
    const deaf = await makePartner(sql(), { mode: 'test' })
    await sql()`insert into supply.events
        (account_id, order_code, event_type, callback_url, body, simulated, state, next_attempt_at, created_at)
      select ${deaf.accountId}, 'x', 'order.completed', 'http://127.0.0.1:9/', '{}', true, 'waiting',
        now() + interval '1 hour', now() - interval '1 hour'
      from generate_series(1, 100)`
    expect(await simulate(orderBody([topUp()]), deaf.key)).toMatchObject({
      ...{ status: 429, json: { error: 'Too many samples are still open' } },
    })
  })

  test('are removed beyond a thousand, the oldest first', async () => {
    const eager = await makePartner(sql(), { mode: 'test' })
    await fill(eager, 1005, null, '1 hour')
    const { code } = (await simulate(orderBody([topUp()]), eager.key)).json.data
    expect(await countOf(eager)).toBe(1000)
    expect((await read(code, eager.key)).status).toBe(200)
  })
})

function withoutDeliveries({ deliveries, ...order }: { [field: string]: unknown }) {
  return order
}
