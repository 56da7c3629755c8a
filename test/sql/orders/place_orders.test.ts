import { setTimeout } from 'node:timers/promises'
import postgres from 'postgres'
import { describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { balanceOf, type OrderRequest, orderRequest, place, placeAll } from '../../support/orders.ts'
import { makePartner, products } from '../../support/partner.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const { database, sql, partner } = itemTests({ audited: true })

const poorPartner = (balance: number) => makePartner(sql(), { balance })
const ask = (request: OrderRequest = {}, of = partner()) => place(sql(), of, request)
const askAll = (requests: ReturnType<typeof orderRequest>[]) => placeAll(sql(), requests)
const balance = (of = partner()) => balanceOf(sql(), of)

const countJobs = (code: string) =>
  oneValue(sql()`
    select count(*)::int from core.jobs j join ops.order_items i on i.item_id = j.subject where i.order_code = ${code}`)

/** The milliseconds that a time-ordered UUID begins with. */
const timeOf = (uuid: string) => Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)

describe('an accepted order', () => {
  test('is dated after it got the lock of its account, so that times are in the order of the orders', async () => {
    const holder = await sql().reserve()
    await holder`begin`
    await holder`select from supply.accounts where id = ${partner().accountId} for update`
    const placing = ask()
    const [turn] = await holder`select core.iso(clock_timestamp()) as time`
    await holder`commit`
    holder.release()
    const { body } = await placing
    expect(Date.parse(String(body.createdAt))).toBeGreaterThanOrEqual(Date.parse(turn?.time))
    expect(body.updatedAt).toBe(body.createdAt)
  })

  test('has the next number of its account, and is not older than the order before it after a clock was set back', async () => {
    const { body: first } = await ask()
    const [ahead] = await sql()`
      update supply.orders set created_at = created_at + interval '1 hour' where code = ${first.code} returning created_at`
    const [second, third] = await askAll([1, 2].map((ordinal) => ({ ...orderRequest(partner()), ordinal })))
    const codes = [first, second?.body, third?.body].map((body) => body?.code ?? '')
    const orders = await sql()`
      select number::int, created_at >= ${ahead?.created_at} as is_later from supply.orders
      where code = any (${codes}) order by number`
    const [{ number = 0 } = {}] = orders
    expect(orders).toEqual([0, 1, 2].map((n) => ({ number: number + n, is_later: true })))
  })

  test('is charged, written to the ledger and queued, a job an item', async () => {
    const { result, body } = await ask({
      externalOrderId: 'mine-1',
      items: [
        { productId: products.topUp, quantity: 2 },
        { productId: products.key, quantity: 3 },
      ],
    })
    expect(result).toBe('created')
    expect(body).toMatchObject({
      externalOrderId: 'mine-1',
      status: 'processing',
      outcome: null,
      totalAmount: 81,
      refundedAmount: 0,
      currency: 'RUB',
      items: [
        { productId: 101, productName: '100 credits', amount: 2, price: 10.5, status: 'processing' },
        { productId: 102, productName: 'Gift key', amount: 3, price: 20, status: 'processing' },
      ],
    })
    expect(body.orders).toEqual([{ code: body.code, total: 81, itemCount: 2 }])
    expect(body.code).toMatch(/^[A-Za-z0-9_-]{20,64}$/)
    expect(await balance()).toBe(919)
    expect(await countJobs(body.code)).toBe(2)
    const ledger = await sql()`
      select type, amount::float, balance_after::float, seq::int from ops.ledger
      where account_id = ${partner().accountId} order by seq`
    expect([...ledger]).toEqual([
      { type: 'deposit', amount: 1000, balance_after: 1000, seq: 1 },
      { type: 'order_charge', amount: -81, balance_after: 919, seq: 2 },
    ])
  })

  test('has ids in the order of time, and a code without an order', async () => {
    const began = Date.now()
    const bodies = []
    for (let n = 0; n < 8; n += 1) {
      bodies.push((await ask()).body)
      await setTimeout(3)
    }
    const times = bodies.map(({ items }) => timeOf(String(items[0]?.id)))
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(Math.abs((times[0] ?? 0) - began)).toBeLessThan(60_000)
    const codes = bodies.map(({ code }) => String(code))
    expect(new Set(codes.map((code) => code.slice(0, 'ord_'.length + 8))).size).toBe(8)
    expect(codes).not.toEqual(codes.toSorted())
    expect(codes).not.toEqual(codes.toSorted().reverse())
  })
})

describe('a repeat', () => {
  test('is answered with the order as it is now, even without money, stock or the same price', async () => {
    const poor = await poorPartner(10.5)
    await sql()`select ops.upsert_product(191, 'space-trader', 'Last one', 10.50, 'RUB', 'key')`
    await sql()`select ops.upsert_offer(191, 'first', 'sku-191')`
    const request = orderRequest(poor, { items: [{ productId: 191, maxPrice: 10.5 }] })
    const [first] = await askAll([request])
    await sql()`
      select ops.upsert_product(191, 'space-trader', 'Last one', 12.00, 'RUB', 'key', in_stock => false)`
    const [again] = await askAll([{ ...request, max_total: 1 }])
    expect(first?.result).toBe('created')
    expect(again).toMatchObject({ result: 'replayed', body: first?.body })
    expect(await balance(poor)).toBe(0)
  })

  test('with other content names every field that differs and the order', async () => {
    const first = await ask({ idempotencyKey: 'key-1' })
    const second = await ask({
      idempotencyKey: 'key-1',
      callbackUrl: 'https://hooks.example/1',
      items: [{ productId: products.topUp, quantity: 2 }],
    })
    expect(second.result).toBe('IDEMPOTENCY_KEY_REUSED')
    expect(second.body.orderCode).toBe(first.body.code)
    expect(second.body.details.map((d: { path: string }) => d.path)).toEqual([
      'items',
      'externalOrderId',
      'callbackUrl',
    ])
    expect(await balance()).toBe(989.5)
  })

  test('compares delivery data as JSON values, whatever the order of their keys', async () => {
    const of = (deliveryData: object) =>
      orderRequest(partner(), { externalOrderId: 'same', items: [{ productId: products.topUp, deliveryData }] })
    const [first] = await askAll([of({ gameUserId: '1', zone: 2 })])
    const [second] = await askAll([of({ zone: 2, gameUserId: '1' })])
    const [third] = await askAll([of({ zone: '2', gameUserId: '1' })])
    expect([first?.result, second?.result, third?.result]).toEqual(['created', 'replayed', 'IDEMPOTENCY_KEY_REUSED'])
  })

  test('in the same batch is compared before all other checks, and is one order and one charge', async () => {
    const poor = await poorPartner(21)
    const request = orderRequest(poor, { externalOrderId: 'twice' })
    const answers = await askAll([
      { ...request, ordinal: 1, callback_error: 'is private' },
      { ...request, ordinal: 2 },
      { ...request, ordinal: 3, callback_url: 'x', callback_error: 'is private' },
      { ...request, ordinal: 4, items: [{ product_id: 9, quantity: 1, delivery_data: {}, max_price: null }] },
      { ...request, ordinal: 5, max_total: 1 },
      { ...orderRequest(poor, { items: [{ productId: products.topUp, quantity: 2 }] }), ordinal: 6 },
      { ...orderRequest(poor), ordinal: 7 },
    ])
    expect(answers.map(({ result }) => result)).toEqual([
      'INVALID_CALLBACK_URL',
      'created',
      'IDEMPOTENCY_KEY_REUSED',
      'IDEMPOTENCY_KEY_REUSED',
      'replayed',
      'INSUFFICIENT_BALANCE',
      'created',
    ])
    const [, first, second, , repeat] = answers
    expect(repeat?.body).toEqual(first?.body)
    expect(second?.body).toEqual({
      details: [{ path: 'callbackUrl', message: 'differs from the order made with this key' }],
      orderCode: first?.body.code,
    })
    expect(await balance(poor)).toBe(0)
  })

  test('of a refused request is a new request', async () => {
    const request = { idempotencyKey: 'again', externalOrderId: 'again' }
    const refused = await ask({ ...request, items: [{ productId: products.outOfStock }] })
    const accepted = await ask(request)
    expect([refused.result, accepted.result]).toEqual(['PRODUCT_UNAVAILABLE', 'created'])
  })
})

describe('a refusal', () => {
  const topUp = products.topUp
  const noData = [
    { productId: topUp, deliveryData: {} },
    { productId: 103, deliveryData: { gameUserId: ' ' } },
  ]
  const dataPaths = ['items[0].deliveryData.gameUserId', 'items[1].deliveryData.gameUserId']

  test.each([
    ['an unknown product', [{ productId: 999_999 }], 'PRODUCT_NOT_FOUND', ['items[0].productId']],
    ['a product beyond all numbers', [{ productId: 9e15 }], 'PRODUCT_NOT_FOUND', ['items[0].productId']],
    ['another currency', [{ productId: products.dollars }], 'PRODUCT_NOT_FOUND', ['items[0].productId']],
    ['no stock', [{ productId: products.outOfStock }], 'PRODUCT_UNAVAILABLE', ['items[0].productId']],
    ['too many', [{ productId: topUp, quantity: 101 }], 'QUANTITY_OUT_OF_RANGE', ['items[0].quantity']],
    ['missing data', noData, 'DELIVERY_DATA_INVALID', dataPaths],
    ['a bad callback', undefined, 'INVALID_CALLBACK_URL', ['callbackUrl']],
  ])('of %s names the fields at fault and charges nothing', async (_, items, code, paths) => {
    const { result, body } = await ask(items === undefined ? { callbackError: 'is private' } : { items })
    expect(result).toBe(code)
    expect(body.details.map(({ path }) => path)).toEqual(paths)
    expect(await balance()).toBe(1000)
  })

  test('of a price above a cap says the present one', async () => {
    const { result, body } = await ask({
      maxTotal: 20,
      items: [{ productId: products.topUp, quantity: 2, maxPrice: 10.49 }],
    })
    expect(result).toBe('PRICE_CHANGED')
    expect(body.details).toEqual([
      { path: 'items[0].maxPrice', message: 'the price is now 10.50', price: 10.5 },
      { path: 'maxTotal', message: 'the total is now 21.00', price: 21 },
    ])
  })

  test('for lack of money says what there is and what it takes', async () => {
    const poor = await poorPartner(10)
    const { result, body } = await ask({}, poor)
    expect(result).toBe('INSUFFICIENT_BALANCE')
    expect(body.details).toEqual({ balance: 10, required: 10.5, currency: 'RUB' })
  })

  test('comes in the documented order of checks', async () => {
    const poor = await poorPartner(1)
    const tooMuch = { productId: products.topUp, quantity: 1000, maxPrice: 1 }
    const steps = [
      { callbackError: 'x', items: [{ productId: 9 }, tooMuch] },
      { items: [{ productId: 9 }, { ...tooMuch, deliveryData: {} }] },
      { items: [{ ...tooMuch, deliveryData: {} }, { productId: products.outOfStock }] },
      { items: [{ productId: products.outOfStock }, tooMuch] },
      { items: [tooMuch] },
      { items: [{ ...tooMuch, quantity: 1 }] },
      { items: [{ productId: products.topUp }] },
    ]
    const answers = await Promise.all(steps.map((step) => ask(step, poor)))
    expect(answers.map(({ result }) => result)).toEqual([
      'INVALID_CALLBACK_URL',
      'PRODUCT_NOT_FOUND',
      'DELIVERY_DATA_INVALID',
      'PRODUCT_UNAVAILABLE',
      'QUANTITY_OUT_OF_RANGE',
      'PRICE_CHANGED',
      'INSUFFICIENT_BALANCE',
    ])
  })

  test('is made for a product without an active supplier', async () => {
    await sql()`select ops.upsert_product(200, 'space-trader', 'No offer', 1.00, 'RUB', 'key')`
    expect((await ask({ items: [{ productId: 200 }] })).result).toBe('PRODUCT_UNAVAILABLE')
  })

  test('is made for a key that was revoked after the admission, and for an inactive account', async () => {
    const request = orderRequest(partner())
    await sql()`select ops.revoke_key(${partner().keyId})`
    expect((await askAll([request]))[0]?.result).toBe('UNAUTHORIZED')
    const other = await makePartner(sql())
    await sql()`select ops.set_account_active(${other.accountId}, false)`
    expect((await ask({}, other)).result).toBe('UNAUTHORIZED')
    expect(await balance(other)).toBe(1000)
  })
})

describe('a refused request', () => {
  test('costs no writes, and reads each product once however many items name it', async () => {
    const poor = await poorPartner(1)
    const items = Array.from({ length: 50 }, () => ({ productId: products.topUp }))
    const requests = Array.from({ length: 4 }, (_, n) => ({ ...orderRequest(poor, { items }), ordinal: n }))
    // The counts of a connection begin with what it has not reported yet: this one has done nothing before.
    const connection = postgres(database.url, { max: 1 })
    await connection`begin`
    const answers = await placeAll(connection, requests)
    const [cost] = await connection`
      select sum(n_tup_ins + n_tup_upd + n_tup_del)::int as written,
        sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) filter (where relname in ('products', 'offers'))::int as read
      from pg_stat_xact_user_tables`
    await connection.end()
    expect(new Set(answers.map(({ result }) => result))).toEqual(new Set(['INSUFFICIENT_BALANCE']))
    expect(cost?.written).toBe(0)
    expect(cost?.read).toBeLessThan(items.length)
  })
})

describe('a batch', () => {
  test('answers each request of several accounts with its own order, and refuses only what an account cannot pay', async () => {
    const partners = await Promise.all(Array.from({ length: 6 }, () => makePartner(sql(), { balance: 25 })))
    const requests = Array.from({ length: 18 }, (_, i) => {
      const of = partners[(i * 5) % 6] ?? partner()
      return { ...orderRequest(of, { externalOrderId: `batch-${i}` }), ordinal: i }
    })
    const answers = await askAll(requests)
    expect(answers.map(({ ordinal }) => ordinal)).toEqual(requests.map(({ ordinal }) => ordinal))
    for (const { ordinal, result, body } of answers.filter(({ result }) => result === 'created')) {
      const [row] =
        await sql()`select account_id::int, external_order_id from ops.orders where order_code = ${body.code}`
      expect([result, row]).toEqual([
        'created',
        { account_id: requests[ordinal]?.account_id, external_order_id: `batch-${ordinal}` },
      ])
    }
    expect(answers.filter(({ result }) => result === 'created')).toHaveLength(12)
    expect(answers.filter(({ result }) => result === 'INSUFFICIENT_BALANCE')).toHaveLength(6)
  })
})

describe('a race', () => {
  test('of 60 orders on a balance for 10 lets exactly 10 through', async () => {
    const poor = await poorPartner(105)
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask({}, poor)))
    const results = answers.map(({ result }) => result)
    expect(results.filter((result) => result === 'created')).toHaveLength(10)
    expect(results.filter((result) => result === 'INSUFFICIENT_BALANCE')).toHaveLength(50)
    expect(await balance(poor)).toBe(0)
  })

  test('of 50 identical requests over several connections makes one order and one charge', async () => {
    const request = orderRequest(partner())
    const answers = (await Promise.all(Array.from({ length: 50 }, () => askAll([request])))).flat()
    expect(answers.filter(({ result }) => result === 'created')).toHaveLength(1)
    expect(answers.filter(({ result }) => result === 'replayed')).toHaveLength(49)
    expect(new Set(answers.map(({ body }) => body.code)).size).toBe(1)
    expect(await balance()).toBe(989.5)
  })
})
