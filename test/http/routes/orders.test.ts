import { describe, expect, test } from 'vitest'
import { httpTests } from '../../support/http_tests.ts'
import { completed, answer as supplierAnswers } from '../../support/items.ts'
import { balanceOf } from '../../support/orders.ts'
import { makePartner, products } from '../../support/partner.ts'

const { sql, partner, get, post: postTo } = httpTests({ each: true })

let counter = 0
const order = (changes: object = {}) => {
  counter += 1
  return {
    externalOrderId: `order-${counter}`,
    items: [{ productId: products.topUp, deliveryData: { gameUserId: '123' } }],
    ...changes,
  }
}
const post = (body: unknown, headers = {}, who = partner()) => postTo('/b2b/orders', body, headers, who)
const times = <T>(count: number, work: (index: number) => T) => Array.from({ length: count }, (_, i) => work(i))

describe('an accepted order', () => {
  test('is answered by 201 with the order, its payment code and its short list', async () => {
    const request = order({
      items: [
        { productId: products.topUp, quantity: 2, deliveryData: { gameUserId: '1', server: 7, vip: true } },
        { productId: products.key },
      ],
      callbackUrl: 'https://partner.example/hook',
    })
    const { status, headers, json } = await post(request)
    expect(status).toBe(201)
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['idempotent-replayed']).toBeUndefined()
    const { code } = json.data
    expect(code).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    expect(json).toMatchObject({
      success: true,
      data: {
        code,
        orderCode: code,
        externalOrderId: request.externalOrderId,
        status: 'processing',
        outcome: null,
        totalAmount: 41,
        refundedAmount: 0,
        currency: 'RUB',
        callbackUrl: 'https://partner.example/hook',
        error: null,
        reason: null,
        completedAt: null,
        paymentCode: code.replace('ord_', 'pay_'),
        orders: [{ code, total: 41, itemCount: 2 }],
        items: [
          { productId: products.topUp, productName: '100 credits', amount: 2, price: 10.5, status: 'processing' },
          { productId: products.key, productName: 'Gift key', amount: 1, price: 20, status: 'processing' },
        ],
      },
    })
    expect(json.data.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(await balanceOf(sql(), partner())).toBe(959)
  })

  test('may have null for optional fields, and unknown fields', async () => {
    const item = { productId: products.key, quantity: null, deliveryData: null, maxPrice: null, colour: 'red' }
    const answer = await post(order({ items: [item], callbackUrl: null, maxTotal: null, note: { a: [1] } }))
    expect(answer).toMatchObject({ status: 201, json: { data: { totalAmount: 20, callbackUrl: null } } })
  })

  test('may be as large as the limits allow, where texts count in characters', async () => {
    const data = Object.fromEntries(times(20, (i) => [`${i}`.padEnd(64, 'k'), 'é'.repeat(16)]))
    const items = times(50, () => ({ productId: products.key, deliveryData: { ...data } }))
    const body = order({ externalOrderId: '😀'.repeat(128), items: items.slice(0, 20) })
    expect((await post(body)).status).toBe(201)
    const many = times(50, () => ({ productId: products.topUp, deliveryData: { gameUserId: '😀'.repeat(256) } }))
    expect((await post(order({ items: many }))).status).toBe(201)
  })

  test('is read by its own account only', async () => {
    const { json } = await post(order())
    const read = await get(`/b2b/orders/${json.data.code}`)
    expect(read.status).toBe(200)
    expect(read.headers['cache-control']).toBe('no-store')
    expect(read.json.data).toEqual({ ...json.data, deliveries: null })
    const stranger = await makePartner(sql())
    const refused = await get(`/b2b/orders/${json.data.code}`, {}, stranger)
    expect(refused).toMatchObject({ status: 404, json: { success: false, code: 'ORDER_NOT_FOUND' } })
  })

  test('shows its delivered keys, and the list does not', async () => {
    const { json } = await post(order({ items: [{ productId: products.key, quantity: 2 }] }))
    await supplierAnswers(sql(), json.data.items[0].id, completed({ codes: ['KEY-1', 'KEY-2'] }))
    const read = await get(`/b2b/orders/${json.data.code}`)
    expect(read.json.data).toMatchObject({ status: 'completed', outcome: 'full' })
    expect(read.json.data.items[0].cdKeys).toEqual([{ code: 'KEY-1' }, { code: 'KEY-2' }])
    const list = await get('/b2b/orders')
    expect(list.text).not.toContain('KEY-1')
  })
})

describe('a repeated request', () => {
  test('is answered by 200 with the order as it is now, and the header Idempotent-Replayed', async () => {
    const request = order()
    const first = await post(request)
    await supplierAnswers(sql(), first.json.data.items[0].id, completed())
    const second = await post(request)
    expect(second).toMatchObject({
      status: 200,
      headers: { 'idempotent-replayed': 'true' },
      json: {
        data: {
          code: first.json.data.code,
          status: 'completed',
          paymentCode: first.json.data.paymentCode,
          orders: first.json.data.orders,
        },
      },
    })
    expect(await balanceOf(sql(), partner())).toBe(989.5)
  })

  test('may have other caps, an explicit quantity of 1 and null for absent fields', async () => {
    const request = order()
    await post(request)
    const items = [{ productId: 101, quantity: 1, deliveryData: { gameUserId: '123', x: null }, maxPrice: 0 }]
    expect((await post({ ...request, items, callbackUrl: null, maxTotal: 5 })).status).toBe(200)
  })

  test('with other content is 409, and names the fields that differ', async () => {
    const request = order()
    const first = await post(request)
    const answer = await post({ ...request, items: [{ productId: 1e300 }], callbackUrl: 'not a URL \u0000' })
    expect(answer).toMatchObject({
      status: 409,
      json: {
        success: false,
        error: 'idempotency_key_reused_with_different_body',
        code: 'IDEMPOTENCY_KEY_REUSED',
        orderCode: first.json.data.code,
      },
    })
    expect(answer.json.details.map(({ path }: { path: string }) => path)).toEqual(['items', 'callbackUrl'])
  })

  test('is found by the key of a header, if there is one', async () => {
    const key = { 'x-idempotency-key': 'my-key' }
    const first = await post(order({ externalOrderId: 'same' }), key)
    expect(first.status).toBe(201)
    expect((await post(order({ externalOrderId: 'same' }), { 'idempotency-key': 'my-key' })).status).toBe(200)
    expect((await post(order({ externalOrderId: 'other' }), key)).status).toBe(409)
    expect((await post(order({ externalOrderId: 'same' }))).status).toBe(201)
  })

  test('by another account is a new order', async () => {
    const request = order()
    await post(request)
    expect((await post(request, {}, await makePartner(sql()))).status).toBe(201)
  })
})

describe('POST /b2b/orders/:code/cancel', () => {
  const cancel = (code: string, who = partner()) => postTo(`/b2b/orders/${code}/cancel`, undefined, {}, who)

  test('answers 200 with the cancelled order, and again the same', async () => {
    const { json: placed } = await post(order())
    const first = await cancel(placed.data.code)
    expect(first).toMatchObject({
      status: 200,
      json: { data: { code: placed.data.code, status: 'failed', items: [{ errorCode: 'CANCELLED' }] } },
    })
    expect(await cancel(placed.data.code)).toMatchObject({ status: 200, json: first.json })
  })

  test('answers 422 for an order that its supplier may have, and 404 for one of another account', async () => {
    const { json: placed } = await post(order())
    await supplierAnswers(sql(), placed.data.items[0].id, completed())
    expect(await cancel(placed.data.code)).toMatchObject({ status: 422, json: { code: 'NOT_CANCELLABLE' } })
    const other = await makePartner(sql())
    expect(await cancel(placed.data.code, other)).toMatchObject({ status: 404, json: { code: 'ORDER_NOT_FOUND' } })
  })
})
