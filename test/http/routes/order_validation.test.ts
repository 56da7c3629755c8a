import { afterEach, describe, expect, test } from 'vitest'
import { httpTests } from '../../support/http_tests.ts'
import { balanceOf } from '../../support/orders.ts'
import { products } from '../../support/partner.ts'
import type { Answer } from '../../support/service.ts'

const { sql, partner, post: postTo } = httpTests()
afterEach(async () => {
  expect(await balanceOf(sql(), partner())).toBe(1000)
})

const item = { productId: products.topUp, deliveryData: { gameUserId: '123' } }
const order = (changes: object = {}) => ({ externalOrderId: 'never placed', items: [item], ...changes })
const withItem = (changes: object) => order({ items: [{ ...item, ...changes }] })
const withData = (deliveryData: unknown) => withItem({ deliveryData })

const post = (body: unknown, headers = {}) => postTo('/b2b/orders', body, headers)
const paths = ({ json }: Answer) => json.details.map(({ path }: { path: string }) => path)

describe('a malformed request is 400 VALIDATION_ERROR, charges nothing and names the field', () => {
  test.each<[field: string, body: object | string]>([
    ['items', { externalOrderId: 'x' }],
    ['items', order({ items: [] })],
    ['items', order({ items: Array(51).fill(item) })],
    ['items[0]', order({ items: ['x'] })],
    ['items[1]', order({ items: [item, null] })],
    ['items[0].productId', order({ items: [{}] })],
    ['items[0].productId', withItem({ productId: '101' })],
    ['items[0].productId', JSON.stringify(order()).replace('101', '1e400')],
    ['items[0].quantity', withItem({ quantity: 0 })],
    ['items[0].quantity', withItem({ quantity: 2_147_483_648 })],
    ['items[0].maxPrice', withItem({ maxPrice: -0.01 })],
    ['items[0].maxPrice', withItem({ maxPrice: '10' })],
    ['items[0].maxPrice', JSON.stringify(withItem({ maxPrice: 7 })).replace(':7', ':1e999')],
    ['items[0].deliveryData', withData([])],
    ['items[0].deliveryData', withData(Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`key${i}`, 1])))],
    ['', JSON.stringify(withData({ a: '1' })).replace('"a"', '"__proto__"')],
    ['items[0].deliveryData', withData({ constructor: 'x' })],
    ['items[0].deliveryData.a', withData({ a: '' })],
    ['items[0].deliveryData.a', withData({ a: '😀'.repeat(257) })],
    ['items[0].deliveryData.a', withData({ a: {} })],
    ['items[0].deliveryData.a', withData({ a: 'a\u0000b' })],
    ['items[0].deliveryData.a', withData({ a: '\ud800' })],
    ['items[0].deliveryData.a', withData({ a: 2 ** 53 })],
    ['items[0].deliveryData.a', JSON.stringify(withData({ a: 7 })).replace(':7', ':12345678901234567890')],
    [`items[0].deliveryData.${'k'.repeat(65)}`, withData({ ['k'.repeat(65)]: 'x' })],
    ['items[0].deliveryData.', withData({ '': 'x' })],
    ['items[0].deliveryData.aU+0000', withData({ 'a\u0000': 'x' })],
    ['externalOrderId', { items: [item] }],
    ['externalOrderId', order({ externalOrderId: 'a\u0000b' })],
    ['externalOrderId', order({ externalOrderId: '\udfff' })],
    ['callbackUrl', order({ callbackUrl: 7 })],
    ['maxTotal', order({ maxTotal: -1 })],
  ])('%s in %j', async (field, body) => {
    const answer = await post(body)
    expect(answer).toMatchObject({ status: 400, json: { success: false, code: 'VALIDATION_ERROR' } })
    expect(paths(answer)).toEqual([field])
    expect(answer.json.details[0].message).toMatch(/^\S/)
  })

  test.each([
    ['\u0007', 'U+0007'],
    ['\n', 'U+000A'],
    ['\u009b', 'U+009B'],
    ['\u202e', 'U+202E'],
    ['\u2066', 'U+2066'],
  ])('%j anywhere in a text of the order, by its code point', async (character, codePoint) => {
    const text = `a${character}b`
    const message = `must not contain ${codePoint}, a control character`
    for (const [path, body] of [
      ['externalOrderId', order({ externalOrderId: text })],
      ['items[0].deliveryData.a', withData({ a: text })],
      [`items[0].deliveryData.a${codePoint}b`, withData({ [text]: 'x' })],
    ] as const) {
      const answer = await post(body)
      expect([answer.status, answer.json.details]).toEqual([400, [{ path, message }]])
      expect(answer.text.trim()).not.toContain(character)
    }
  })

  test('names all wrong fields at once', async () => {
    const body = {
      items: [{ productId: 'x', quantity: 0 }, { deliveryData: 7 }, { productId: 1, maxPrice: -1 }],
      callbackUrl: 7,
      maxTotal: 'x',
    }
    const answer = await post(body, { 'x-idempotency-key': 'x'.repeat(256) })
    expect(paths(answer).sort()).toEqual([
      'X-Idempotency-Key',
      'callbackUrl',
      'externalOrderId',
      'items[0].productId',
      'items[0].quantity',
      'items[1].deliveryData',
      'items[1].productId',
      'items[2].maxPrice',
      'maxTotal',
    ])
  })

  test.each<[body: object, path: string, message: string]>([
    [order({ externalOrderId: 7 }), 'externalOrderId', 'must be a text of 1 to 128 characters; got a number'],
    [withItem({ productId: '101' }), 'items[0].productId', 'must be a whole number; got a string'],
    [withItem({ quantity: 0 }), 'items[0].quantity', 'must be a whole number from 1 to the product’s maxQuantity'],
    [
      { external_order_id: 'x', items: [item] },
      'externalOrderId',
      'is required; unknown field external_order_id: did you mean externalOrderId?',
    ],
  ])('%j says what is wrong', async (body, path, message) => {
    expect((await post(body)).json.details).toEqual([{ path, message }])
  })

  test('may have a cap that is a sum of fractions, as 0.1 + 0.2', async () => {
    const answer = await post(order({ maxTotal: 0.1 + 0.2 }))
    expect(answer.json.code).toBe('PRICE_CHANGED')
  })

  test.each([10.499999999999998, 10.500000000000002, 10.504])(
    'has caps of %f for a price of 10.50 that suffice',
    async (cap) => {
      const refusalOf = async (caps: { maxPrice: number; maxTotal: number }) => {
        const { maxPrice, maxTotal } = caps
        const { json } = await postTo('/b2b/orders/quote', { items: [{ ...item, maxPrice }], maxTotal })
        return json.data.wouldBeRefused?.code ?? null
      }
      expect(await refusalOf({ maxPrice: cap, maxTotal: cap })).toBeNull()
      expect(await refusalOf({ maxPrice: 10.499, maxTotal: cap })).toBe('PRICE_CHANGED')
      expect(await refusalOf({ maxPrice: cap, maxTotal: 10.499 })).toBe('PRICE_CHANGED')
    },
  )

  test('names the misspelt field of deliveryData and the field that was meant', async () => {
    const { json } = await post(withData({ GameUserID: '1' }))
    expect(json).toMatchObject({ code: 'DELIVERY_DATA_INVALID' })
    expect(json.details).toEqual([
      {
        path: 'items[0].deliveryData.gameUserId',
        message: 'is required; unknown field GameUserID: did you mean gameUserId?',
      },
    ])
  })

  test('with too many items or keys has one detail, not one for each', async () => {
    const manyItems = await post(order({ items: Array(20_000).fill(1) }))
    expect(manyItems.json.details).toEqual([{ path: 'items', message: 'must not have more than 50 items' }])
    const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, []]))
    const manyKeys = await post(withData(keys))
    expect(manyKeys.json.details).toEqual([
      { path: 'items[0].deliveryData', message: 'must not have more than 20 keys' },
    ])
  })

  test('with a key __proto__ is refused and changes no prototype', async () => {
    const body = JSON.stringify(order()).replace('{', '{"__proto__":{"externalOrderId":"x","admin":true},')
    const answer = await post(body.replace('"externalOrderId":"never placed",', ''))
    expect(paths(answer)).toEqual([''])
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })
})

describe('the idempotency key', () => {
  test.each<[string, Record<string, string | string[]>, string]>([
    ['two headers of different values', { 'x-idempotency-key': 'a', 'idempotency-key': 'b' }, 'X-Idempotency-Key'],
    ['a header twice with different values', { 'x-idempotency-key': ['a', 'b'] }, 'X-Idempotency-Key'],
    ['an empty header', { 'idempotency-key': '' }, 'Idempotency-Key'],
    ['more than 255 characters', { 'x-idempotency-key': 'x'.repeat(256) }, 'X-Idempotency-Key'],
    ['letters outside ASCII', { 'idempotency-key': 'clé' }, 'Idempotency-Key'],
  ])('may not be %s', async (_, headers, field) => {
    const answer = await post(order({ items: [{ ...item, productId: 999 }] }), headers)
    expect(answer).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } })
    expect(paths(answer)).toEqual([field])
  })

  test.each<[string, Record<string, string | string[]>]>([
    ['both headers with the same value', { 'x-idempotency-key': 'a', 'idempotency-key': 'a' }],
    ['255 characters', { 'x-idempotency-key': 'x'.repeat(255) }],
    ['any printable characters', { 'idempotency-key': `a b,"c";~` }],
  ])('may be %s', async (_, headers) => {
    const answer = await post(order({ items: [{ ...item, productId: 999 }] }), headers)
    expect(answer).toMatchObject({ status: 422, json: { code: 'PRODUCT_NOT_FOUND' } })
  })
})

describe('an unusable callbackUrl is 400 INVALID_CALLBACK_URL', () => {
  test.each([
    '',
    'ftp://partner.example/hook',
    'https://partner.example/\u0000',
    'https://partner.example/\ud800',
    `https://partner.example/${'x'.repeat(2048)}`,
  ])('%j', async (callbackUrl) => {
    const answer = await post(order({ callbackUrl }))
    expect(answer).toMatchObject({ status: 400, json: { success: false, code: 'INVALID_CALLBACK_URL' } })
    expect(paths(answer)).toEqual(['callbackUrl'])
  })
})

describe('an order that the catalog or the balance refuses', () => {
  test.each<[status: number, code: string, field: string, body: object | string]>([
    [422, 'PRODUCT_NOT_FOUND', 'items[0].productId', withItem({ productId: -1e300 })],
    [422, 'PRODUCT_NOT_FOUND', 'items[0].productId', JSON.stringify(order()).replace('101', '9223372036854775808')],
    [422, 'PRODUCT_UNAVAILABLE', 'items[0].productId', withItem({ productId: products.outOfStock })],
    [422, 'QUANTITY_OUT_OF_RANGE', 'items[0].quantity', withItem({ quantity: 2_147_483_647 })],
    [400, 'DELIVERY_DATA_INVALID', 'items[0].deliveryData.gameUserId', withData({ gameUserId: null })],
    [422, 'PRICE_CHANGED', 'items[0].maxPrice', withItem({ maxPrice: 5e-324 })],
    [422, 'PRICE_CHANGED', 'maxTotal', order({ maxTotal: 0 })],
  ])('is answered by %i %s at %s', async (status, code, field, body) => {
    const answer = await post(body)
    expect(answer).toMatchObject({ status, json: { success: false, code } })
    expect(paths(answer)).toEqual([field])
  })

  test('is answered by 402 with the balance and the amount required', async () => {
    const answer = await post(order({ items: [{ ...item, productId: products.expensive, quantity: 11 }] }))
    expect(answer).toMatchObject({
      status: 402,
      json: {
        success: false,
        error: 'Insufficient balance',
        code: 'INSUFFICIENT_BALANCE',
        details: { balance: 1000, required: 1100, currency: 'RUB' },
      },
    })
  })
})

test('the shape is checked before the callbackUrl, and the callbackUrl before the product', async () => {
  const bad = order({ callbackUrl: 'ftp://x', items: [{ ...item, productId: 999 }] })
  expect((await post({ ...bad, maxTotal: -1 })).json.code).toBe('VALIDATION_ERROR')
  expect((await post(bad)).json.code).toBe('INVALID_CALLBACK_URL')
})
