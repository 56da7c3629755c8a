import { describe, expect, it } from 'vitest'
import { type TestError, testProduct } from '../../support/servers/kinguin.ts'
import { kinguinAdapter } from './harness.ts'

const { adapter, kinguin, order, placed, paths } = kinguinAdapter()
const outOfStock = { outcome: 'answered', status: 'failed', errorCode: 'OUT_OF_STOCK' }

describe('an order', () => {
  it('is for keys of text at the cost of the offer, with our reference', async () => {
    const call = order()
    await adapter.put(call)
    const [request] = kinguin().requests
    expect(paths()).toEqual(['POST /v2/order'])
    expect(request?.headers['x-api-key']).toBe(kinguin().apiKey)
    expect(request?.body).toEqual({
      products: [{ productId: 'game', qty: 2, price: 4.75, keyType: 'text' }],
      orderExternalId: call.reference,
    })
  })

  it('carries the headers that tell the supplier which request it is made for', async () => {
    await adapter.put(order({ correlation: { 'X-Request-Id': 'request-1' } }))
    expect(kinguin().requests[0]?.headers['x-request-id']).toBe('request-1')
  })

  it('may be for one offer alone', async () => {
    const call = order({ sku: 'game/game-o' })
    await adapter.put(call)
    expect(kinguin().requests[0]?.body).toMatchObject({ products: [{ productId: 'game', offerId: 'game-o' }] })
    expect(await adapter.put(order({ sku: 'game/another' }))).toMatchObject(outOfStock)
  })

  it('whose price has risen is out of stock, and one whose price has fallen is placed', async () => {
    kinguin().products.set('game', testProduct('game', { price: 4.76 }))
    expect(await adapter.put(order())).toMatchObject(outOfStock)
    kinguin().products.set('game', testProduct('game', { price: 4.74 }))
    expect(await adapter.put(order())).toMatchObject({ status: 'processing' })
  })

  it.each([
    ['for more text keys than there are', testProduct('game', { textQty: 1 })],
    ['of a pre-order, which is not sold as text,', { ...testProduct('game'), isPreorder: true }],
  ])('%s is out of stock', async (_, product) => {
    kinguin().products.set('game', product)
    expect(await adapter.put(order())).toMatchObject(outOfStock)
  })

  it('of more than 9 needs an offer that sells as many', async () => {
    expect(await adapter.put(order({ quantity: 10 }))).toMatchObject(outOfStock)
    expect(await adapter.put(order({ sku: 'bulk/bulk-o', quantity: 1_001 }))).toMatchObject(outOfStock)
    expect(kinguin().requests).toEqual([])
    expect(await adapter.put(order({ sku: 'game/game-o', quantity: 10 }))).toMatchObject(outOfStock)
    expect(await adapter.put(order({ sku: 'bulk/bulk-o', quantity: 10 }))).toMatchObject({ status: 'processing' })
  })

  it.each([
    ['no cost', { unitCost: null, currency: null }],
    ['a cost in another currency', { currency: 'USD' }],
    ['a cost of nothing', { unitCost: '0.00' }],
    ['a sku of three parts', { sku: 'game/offer/more' }],
    ['a sku that is a path', { sku: '../balance' }],
    ['a top-up', { deliversKeys: false }],
  ])('with %s is not sent', async (_, given) => {
    expect(await adapter.put(order(given))).toMatchObject({ outcome: 'not_placed', cause: 'settings' })
    expect(kinguin().requests).toEqual([])
  })
})

describe('a repeated order', () => {
  it('is looked for before, because the API would make a second one', async () => {
    const call = order()
    const { there, asked } = await placed(call)
    kinguin().requests.length = 0
    expect(await adapter.put(asked)).toMatchObject({ status: 'processing', supplierOrderId: there.orderId })
    expect(paths()).toEqual(['GET /v1/order'])
  })

  it.each<[string, { unitCost?: null; quantity?: number }]>([
    ['has no cost any more', { unitCost: null }],
    ['could not be sent now', { quantity: 10 }],
  ])('that is there is not refused because it %s', async (_, given) => {
    const { there, asked } = await placed(order())
    there.qty = given.quantity ?? there.qty
    expect(await adapter.put({ ...asked, ...given })).toMatchObject({ outcome: 'answered', status: 'processing' })
  })

  it('is not sent while it cannot be looked for', async () => {
    kinguin().setFault({ to: 'reading', damage: { status: 503 } })
    expect(await adapter.put(order({ firstSentAt: new Date() }))).toMatchObject({ outcome: 'unknown' })
    expect(kinguin().requests.some(({ places }) => places)).toBe(false)
  })

  it('that became two is held', async () => {
    const call = order()
    await placed(call)
    await placed(call)
    expect(await adapter.get({ ...call, firstSentAt: new Date() })).toMatchObject({
      outcome: 'hold',
      codes: [],
      error: 'several orders there have the reference',
    })
  })
})

describe('an error', () => {
  const put = (error: TestError) => {
    kinguin().onPlacing = () => error
    return adapter.put(order())
  }

  it.each(['Error', 'HttpClient', 'Http', 'OrderFailed', 'ResourceLock', 'OrderNotSupported', 'Unheard'])(
    'of the kind %s has an unknown outcome',
    async (kind) => {
      expect(await put({ status: 400, kind })).toMatchObject({ outcome: 'unknown', error: `HTTP 400: ${kind}` })
    },
  )

  it.each(['ProductUnavailable', 'InsufficientBalance', 'Authorization', 'ConstraintViolation'])(
    'of the kind %s with the status 500 has an unknown outcome',
    async (kind) => {
      expect(await put({ status: 500, kind, propertyPath: 'products' })).toMatchObject({ outcome: 'unknown' })
    },
  )

  it.each([
    ['products[0].price', outOfStock],
    ['products[0].qty', outOfStock],
    ['products[0].offerId', { outcome: 'not_placed', cause: 'settings' }],
    ['products', { outcome: 'not_placed', cause: 'settings' }],
    // An order with our reference may be there already.
    ['orderExternalId', { outcome: 'unknown' }],
    [undefined, { outcome: 'unknown' }],
  ])('of the field %s', async (propertyPath, expected) => {
    const field = propertyPath === undefined ? {} : { propertyPath }
    expect(await put({ status: 400, kind: 'ConstraintViolation', ...field })).toMatchObject(expected)
  })

  it('about our key is certain only with the status 401', async () => {
    expect(await put({ status: 401, kind: 'Authorization' })).toMatchObject({ cause: 'credentials' })
    expect(await put({ status: 403, kind: 'Authorization' })).toMatchObject({ outcome: 'unknown' })
  })
})
