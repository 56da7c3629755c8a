import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SupplierCall } from '../../src/supplier/adapter.ts'
import { createKinguinAdapter } from '../../src/supplier/kinguin/adapter.ts'
import {
  type Kinguin,
  startKinguin,
  type TestError,
  type TestOrder,
  testProduct,
  textKeys,
} from '../support/servers/kinguin.ts'
import type { StandInAnswer } from '../support/servers/supplier_stand_in.ts'
import { supplierCall } from '../support/supplier_call.ts'

const adapter = createKinguinAdapter({ timeoutMs: 30_000 })
let kinguin: Kinguin

beforeAll(async () => {
  kinguin = await startKinguin()
})
beforeEach(() => {
  kinguin.products.clear()
  kinguin.products.set('game', testProduct('game'))
  kinguin.products.set('bulk', testProduct('bulk', { wholesale: true }))
  kinguin.requests.length = 0
})
afterEach(() => {
  kinguin.setFault(null)
  kinguin.onPlacing = () => undefined
  kinguin.onOrder = () => {}
  kinguin.pageLimit = 100
  expect(kinguin.violations).toEqual([])
})
afterAll(async () => {
  await adapter.close()
  await kinguin.close()
})

function order(overrides: Partial<SupplierCall> = {}): SupplierCall {
  const { baseUrl, apiKey: token } = kinguin
  const terms = { sku: 'game', unitCost: '4.75', currency: 'EUR', deliversKeys: true }
  return supplierCall({ baseUrl, token, ...terms, ...overrides })
}

/** Makes an order there for a call, and the call as it is made afterwards. */
async function placed(call: SupplierCall): Promise<{ there: TestOrder; asked: SupplierCall }> {
  const outcome = await adapter.put(call)
  const there = kinguin.orders.at(-1)
  if (outcome.outcome !== 'answered' || there === undefined) throw new Error('the order was not taken')
  return { there, asked: { ...call, firstSentAt: new Date(), supplierOrderId: outcome.supplierOrderId } }
}

const paths = () => kinguin.requests.map(({ method, path }) => `${method} ${path.replace('/esa/api', '')}`)
const serials = (count: number) => Array.from({ length: count }, (_, n) => `KEY-${n}`)
const outOfStock = { outcome: 'answered', status: 'failed', errorCode: 'OUT_OF_STOCK' }

describe('an order', () => {
  it('is for keys of text at the cost of the offer, with our reference', async () => {
    const call = order()
    await adapter.put(call)
    const [request] = kinguin.requests
    expect(paths()).toEqual(['POST /v2/order'])
    expect(request?.headers['x-api-key']).toBe(kinguin.apiKey)
    expect(request?.body).toEqual({
      products: [{ productId: 'game', qty: 2, price: 4.75, keyType: 'text' }],
      orderExternalId: call.reference,
    })
  })

  it('may be for one offer alone', async () => {
    const call = order({ sku: 'game/game-o' })
    await adapter.put(call)
    expect(kinguin.requests[0]?.body).toMatchObject({ products: [{ productId: 'game', offerId: 'game-o' }] })
    expect(await adapter.put(order({ sku: 'game/another' }))).toMatchObject(outOfStock)
  })

  it('whose price has risen is out of stock, and one that costs less by now is taken', async () => {
    kinguin.products.set('game', testProduct('game', { price: 4.76 }))
    expect(await adapter.put(order())).toMatchObject(outOfStock)
    kinguin.products.set('game', testProduct('game', { price: 4.74 }))
    expect(await adapter.put(order())).toMatchObject({ status: 'processing' })
  })

  it('for more text keys than there are is out of stock', async () => {
    kinguin.products.set('game', testProduct('game', { textQty: 1 }))
    expect(await adapter.put(order())).toMatchObject(outOfStock)
  })

  it('of more than 9 needs an offer that sells as many', async () => {
    expect(await adapter.put(order({ quantity: 10 }))).toMatchObject(outOfStock)
    expect(await adapter.put(order({ sku: 'bulk/bulk-o', quantity: 1_001 }))).toMatchObject(outOfStock)
    expect(kinguin.requests).toEqual([])
    expect(await adapter.put(order({ sku: 'game/game-o', quantity: 10 }))).toMatchObject(outOfStock)
    expect(await adapter.put(order({ sku: 'bulk/bulk-o', quantity: 10 }))).toMatchObject({
      status: 'processing',
    })
  })

  it('for which our balance there does not suffice is not placed, and costs nothing', async () => {
    const before = kinguin.balance
    kinguin.balance = 9.49
    expect(await adapter.put(order())).toMatchObject({ outcome: 'not_placed', cause: 'balance' })
    expect(kinguin.balance).toBe(9.49)
    kinguin.balance = before
  })

  it('of a pre-order is out of stock, for these are not sold as text', async () => {
    kinguin.products.set('game', { ...testProduct('game'), isPreorder: true })
    expect(await adapter.put(order())).toMatchObject(outOfStock)
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
    expect(kinguin.requests).toEqual([])
  })
})

describe('a repeated order', () => {
  it('is a second one to the API, so that it is looked for before', async () => {
    const call = order()
    const { there, asked } = await placed(call)
    kinguin.requests.length = 0
    expect(await adapter.put(asked)).toMatchObject({ status: 'processing', supplierOrderId: there.orderId })
    expect(paths()).toEqual(['GET /v1/order'])
  })

  it('is not sent while it cannot be looked for', async () => {
    kinguin.setFault({ to: 'reading', damage: { status: 503 } })
    expect(await adapter.put(order({ firstSentAt: new Date() }))).toMatchObject({ outcome: 'unknown' })
    expect(kinguin.requests.some(({ places }) => places)).toBe(false)
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
    kinguin.onPlacing = () => error
    return adapter.put(order())
  }

  it.each(['Error', 'HttpClient', 'Http', 'OrderFailed', 'ResourceLock', 'OrderNotSupported', 'Unheard'])(
    'of the kind %s leaves all open',
    async (kind) => {
      expect(await put({ status: 400, kind })).toMatchObject({
        outcome: 'unknown',
        error: `HTTP 400: ${kind}`,
      })
    },
  )

  it.each(['ProductUnavailable', 'InsufficientBalance', 'Authorization', 'ConstraintViolation'])(
    'of the kind %s that is the server’s own leaves all open',
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

  it('of our key counts only as a 401', async () => {
    expect(await put({ status: 401, kind: 'Authorization' })).toMatchObject({ cause: 'credentials' })
    expect(await put({ status: 403, kind: 'Authorization' })).toMatchObject({ outcome: 'unknown' })
  })
})

describe('the keys of an order', () => {
  it('are downloaded to the last page', async () => {
    const { there, asked } = await placed(order({ sku: 'bulk/bulk-o', quantity: 250 }))
    Object.assign(there, { status: 'completed', keys: textKeys(serials(250)) })
    expect(await adapter.get(asked)).toMatchObject({ status: 'completed', codes: serials(250) })
    expect(paths().filter((path) => path.endsWith('/keys'))).toHaveLength(3)
  })

  it('are downloaded to the last page though pages are shorter than was asked for', async () => {
    kinguin.pageLimit = 25
    const { there, asked } = await placed(order({ sku: 'bulk/bulk-o', quantity: 60 }))
    Object.assign(there, { status: 'completed', keys: textKeys(serials(60)) })
    expect(await adapter.get(asked)).toMatchObject({ codes: serials(60) })
  })

  it('count once where a page repeats the one before', async () => {
    const { there, asked } = await placed(order({ sku: 'bulk/bulk-o', quantity: 110 }))
    Object.assign(there, { status: 'completed', keys: textKeys(serials(100)) })
    const [first] = there.keys
    kinguin.setFault({
      to: ({ query }) => Number(query.get('page')) > 1,
      damage: () => ({ status: 200, json: [{ ...first, productId: 'bulk' }] }),
    })
    expect(await adapter.get(asked)).toMatchObject({ status: 'completed', codes: serials(100) })
  })

  it('of which one is an image are held, with those that are text', async () => {
    const { there, asked } = await placed(order())
    const [text, image] = textKeys(['AAAA-1', 'aW1hZ2U='])
    Object.assign(there, { status: 'completed', keys: [text, { ...image, type: 'image/png' }] })
    expect(await adapter.get(asked)).toMatchObject({
      outcome: 'hold',
      error: '1 of 2 keys are no text',
      codes: ['AAAA-1'],
      supplierOrderId: there.orderId,
    })
  })

  it('that were taken back are not given away', async () => {
    const { there, asked } = await placed(order())
    const [good, bad] = textKeys(['AAAA-1', 'BBBB-2'])
    Object.assign(there, { status: 'completed', keys: [good, { ...bad, status: 'RETURNED' }] })
    expect(await adapter.get(asked)).toMatchObject({ status: 'completed', codes: ['AAAA-1'] })
  })

  it.each(['reset', 'not JSON', { status: 500 }, { status: 404, json: { kind: 'OrderNotFound' } }] as const)(
    'after %j are asked for again',
    async (damage) => {
      const { there, asked } = await placed(order())
      Object.assign(there, { status: 'completed', keys: textKeys(serials(2)) })
      kinguin.setFault({ to: ({ path }) => path.endsWith('/keys'), damage })
      const outcome = await adapter.get(asked)
      expect(outcome).toMatchObject({ outcome: 'unknown' })
      expect(JSON.stringify(outcome)).not.toContain('KEY-')
    },
  )
})

describe.each(['canceled', 'refunded'])('an order that was %s', (status) => {
  it('without keys has failed, and none are asked for', async () => {
    const { there, asked } = await placed(order())
    Object.assign(there, {
      status,
      keys: textKeys(serials(2)).map((key) => ({ ...key, status: 'REFUNDED' })),
    })
    expect(await adapter.get(asked)).toMatchObject({
      status: 'failed',
      errorCode: 'SUPPLIER_ERROR',
      codes: [],
    })
    expect(paths().some((path) => path.endsWith('/keys'))).toBe(false)
  })

  it('has failed in part where some keys are good', async () => {
    const { there, asked } = await placed(order())
    const [good, bad] = textKeys(['AAAA-1', 'BBBB-2'])
    Object.assign(there, { status, keys: [good, { ...bad, status: 'CANCELED' }] })
    expect(await adapter.get(asked)).toMatchObject({ status: 'failed', codes: ['AAAA-1'] })
  })

  it('is held where it is not said which keys are good', async () => {
    const { there, asked } = await placed(order())
    Object.assign(there, { status, keys: textKeys(serials(2)) })
    kinguin.setFault({ damage: withoutStatuses })
    expect(await adapter.get(asked)).toMatchObject({ outcome: 'hold', codes: serials(2) })
  })
})

describe('an order there', () => {
  it('is found by our reference where its name is not known there', async () => {
    const { there, asked } = await placed(order())
    expect(await adapter.get({ ...asked, supplierOrderId: 'ANOTHER' })).toMatchObject({
      status: 'processing',
      supplierOrderId: there.orderId,
    })
  })

  it('that a search did not look for decides nothing', async () => {
    await placed(order())
    const call = order({ firstSentAt: new Date() })
    kinguin.setFault({
      damage: ({ status }) => ({
        status,
        json: { results: kinguin.orders, item_count: kinguin.orders.length },
      }),
    })
    expect(await adapter.get(call)).toMatchObject({ outcome: 'unknown' })
    kinguin.setFault({ damage: { status: 200, json: { results: [], item_count: 3 } } })
    expect(await adapter.get(call)).toMatchObject({ outcome: 'unknown' })
  })

  it('that several offers serve is one', async () => {
    const { asked } = await placed(order({ quantity: 3 }))
    kinguin.setFault({
      damage: ({ status, json }) => {
        const { products, ...there } = json as { products: object[] }
        const [product] = products
        return {
          status,
          json: {
            ...there,
            products: [
              { ...product, qty: 1 },
              { ...product, qty: 2 },
            ],
          },
        }
      },
    })
    expect(await adapter.get(asked)).toMatchObject({ status: 'processing' })
  })
})

describe('the list', () => {
  const list = (...skus: string[]) => adapter.list?.(order(), skus)

  it('tells the cheapest price of a product, that of one offer, and nothing of what is not there', async () => {
    const [dear] = testProduct('game', { price: 6.5, textQty: 3 }).offers
    kinguin.products.get('game')?.offers.push({ ...dear, offerId: 'dear' } as never)
    expect(await list('game', 'game/dear', 'game/none', 'none', 'not a sku')).toEqual({
      ok: true,
      offers: [
        { sku: 'game', cost: '4.75', currency: 'EUR', stock: 1_000 },
        { sku: 'game/dear', cost: '6.50', currency: 'EUR', stock: 3 },
      ],
    })
    expect(paths()).toEqual(['GET /v2/products/game', 'GET /v2/products/none'])
  })

  it('has none of a pre-order', async () => {
    kinguin.products.set('game', { ...testProduct('game'), isPreorder: true })
    expect(await list('game')).toMatchObject({ offers: [{ stock: 0 }] })
  })

  it('does not know the stock where text is not counted, and rounds no price down', async () => {
    const json = { productId: 'game', price: 4.751, qty: 7 }
    kinguin.setFault({ damage: () => ({ status: 200, json }) })
    expect(await list('game')).toMatchObject({ offers: [{ cost: '4.76', stock: null }] })
  })

  it('is none where another server says that there is nothing', async () => {
    kinguin.setFault({ damage: { status: 404, json: { error: 'no such host' } } })
    expect(await list('game')).toEqual({ ok: false, error: 'HTTP 404' })
  })
})

describe('an event', () => {
  const secret = 'a-secret-of-events'
  const read = (body: unknown, name = 'order.status') =>
    adapter.readEvent?.({
      headers: { 'x-event-name': name, 'x-event-secret': secret },
      rawBody: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      secret,
      now: new Date(),
    })
  const reference = crypto.randomUUID()
  const event = { orderId: 'K1', orderExternalId: reference, status: 'completed', updatedAt: '2026-01-01' }

  it('is named by the order, its status and when that changed', () => {
    expect(read(event)).toEqual({ ok: true, eventId: 'K1 completed 2026-01-01', reference })
    expect(read({ ...event, orderExternalId: reference.toUpperCase() })).toMatchObject({ reference })
  })

  it.each([
    ['{', 'malformed'],
    [{}, 'malformed'],
    [{ ...event, orderId: 'K\u0000' }, 'malformed'],
    [{ ...event, orderId: 'K'.repeat(65) }, 'malformed'],
    [{ ...event, orderExternalId: 'theirs' }, 'ignored'],
    [{ ...event, orderExternalId: null }, 'ignored'],
  ])('of %j is none of ours', (body, problem) => {
    expect(read(body)).toEqual({ ok: false, problem })
  })
})

function withoutStatuses(answer: StandInAnswer): StandInAnswer {
  const json = answer.json as { products?: object[] }
  if (json.products === undefined) return answer
  return {
    ...answer,
    json: { ...json, products: json.products.map((product) => ({ ...product, keys: undefined })) },
  }
}
