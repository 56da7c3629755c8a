import { describe, expect, test } from 'vitest'
import { httpTests } from '../../support/http_tests.ts'
import { balanceOf, orderRequest, place } from '../../support/orders.ts'
import { products } from '../../support/partner.ts'
import { withoutRequestId } from '../../support/service.ts'

const { sql, partner, get, post } = httpTests({ each: true })
const path = '/b2b/orders/quote'

const topUp = { productId: products.topUp, deliveryData: { gameUserId: '1' } }
const keys = (quantity: number) => ({ productId: products.key, quantity })
const quote = (body: unknown, headers = {}) => post(path, body, headers)

describe('a quote', () => {
  test('has the prices, the total and what would be left', async () => {
    const answer = await quote({ items: [topUp, keys(3)], maxTotal: 70.5 })
    expect(answer.status).toBe(200)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(answer.json).toEqual({
      success: true,
      data: {
        items: [
          {
            ...{ productId: products.topUp, productName: '100 credits', quantity: 1 },
            ...{ price: 10.5, total: 10.5, available: true },
          },
          {
            ...{ productId: products.key, productName: 'Gift key', quantity: 3 },
            ...{ price: 20, total: 60, available: true },
          },
        ],
        totalAmount: 70.5,
        currency: 'RUB',
        balance: 1000,
        balanceAfter: 929.5,
        wouldBeRefused: null,
      },
    })
    expect(answer.text).toContain('"price":10.50')
  })

  test('shows the prices of products that cannot be ordered', async () => {
    const { json } = await quote({ items: [{ ...topUp, productId: products.outOfStock }, keys(2)] })
    expect(json.data).toMatchObject({
      items: [
        { price: 5, total: 5, available: false },
        { total: 40, available: true },
      ],
      ...{ totalAmount: 45, balanceAfter: 955 },
      wouldBeRefused: {
        ...{ status: 422, code: 'PRODUCT_UNAVAILABLE', error: 'The product cannot be ordered now' },
        details: [{ path: 'items[0].productId', message: 'the product is out of stock' }],
      },
    })
  })

  test('has no total where a product is not known, or is in another currency', async () => {
    const { json } = await quote({ items: [keys(1), { ...topUp, productId: products.dollars }] })
    const unknown = { productName: null, price: null, total: null, available: false }
    expect(json.data).toEqual({
      items: [
        expect.objectContaining({ price: 20, available: true }),
        { productId: products.dollars, quantity: 1, ...unknown },
      ],
      ...{ totalAmount: null, currency: 'RUB', balance: 1000, balanceAfter: null },
      wouldBeRefused: {
        ...{ status: 422, code: 'PRODUCT_NOT_FOUND', error: 'There is no such product' },
        details: [{ path: 'items[1].productId', message: 'no such product' }],
      },
    })
  })

  test('shows the 402 that the order would get, with the amount required', async () => {
    const { json } = await quote({ items: [keys(51)] })
    expect(json.data).toMatchObject({ totalAmount: 1020, balance: 1000, balanceAfter: -20 })
    expect(json.data.wouldBeRefused).toEqual({
      ...{ status: 402, code: 'INSUFFICIENT_BALANCE', error: 'Insufficient balance' },
      details: { balance: 1000, required: 1020, currency: 'RUB' },
    })
    expect((await quote({ items: [keys(50)] })).json.data).toMatchObject({ balanceAfter: 0, wouldBeRefused: null })
  })

  test('ignores idempotency keys and externalOrderId', async () => {
    const body = { externalOrderId: 'known', items: [keys(1)] }
    await post('/b2b/orders', body)
    const other = { ...body, items: [keys(2)] }
    const headers = { 'x-idempotency-key': 'one', 'idempotency-key': 'two' }
    for (const sent of [body, other, { ...body, externalOrderId: 5 }]) {
      const answer = await quote(sent, headers)
      expect(answer).toMatchObject({ status: 200, json: { data: { wouldBeRefused: null } } })
      expect(answer.headers).not.toHaveProperty('idempotent-replayed')
    }
  })

  test('of a body without the right shape is refused as the order is', async () => {
    const bodies = [{}, 'text', '{', { items: [{ productId: 'x', quantity: 0 }], maxTotal: -1 }]
    for (const body of bodies) {
      const order = typeof body === 'object' ? { ...body, externalOrderId: 'x' } : body
      const placed = await post('/b2b/orders', order)
      expect(placed.status).toBe(400)
      expect(await quote(body)).toMatchObject({ status: 400, json: withoutRequestId(placed.json) })
    }
  })
})

describe('making a quote', () => {
  test('writes nothing, draws no numbers and locks no row', async () => {
    // A read-only transaction permits nothing of that.
    const [quoted] = await sql().begin(
      'read only',
      (tx) =>
        tx`select * from api.quote_order(${tx.json({ ...orderRequest(partner()), idempotency_key: null } as never)})`,
    )
    expect(quoted).toMatchObject({ result: 'created', quote: { totalAmount: 10.5 }, refusal: {} })
    expect(await balanceOf(sql(), partner())).toBe(1000)
  })

  test('waits for no order that is being placed, and counts it once it is committed', async () => {
    await sql().begin(async (tx) => {
      await place(tx as never, partner(), { items: [keys(1)] })
      expect((await quote({ items: [keys(1)] })).json.data.balance).toBe(1000)
    })
    expect((await quote({ items: [keys(1)] })).json.data).toMatchObject({ balance: 980, balanceAfter: 960 })
  })

  test('is refused as unauthorized where the key ended after the admission', async () => {
    await sql()`select ops.revoke_key(${partner().keyId})`
    const request = sql().json({ ...orderRequest(partner()), idempotency_key: null } as never)
    const [quoted] = await sql()`select * from api.quote_order(${request})`
    expect(quoted).toMatchObject({ result: 'UNAUTHORIZED', refusal: {} })
  })

  test('is a POST: its address is no order', async () => {
    expect((await get(path)).json.code).toBe('ORDER_NOT_FOUND')
  })
})
