import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { cardText } from '../../../src/messages/cards.ts'
import type { SupplierCall } from '../../../src/suppliers/adapter.ts'
import { createBambooAdapter } from '../../../src/suppliers/bamboo/adapter.ts'
import { account, type Bamboo, soldCards, startBamboo } from '../../support/servers/bamboo.ts'
import { supplierCall } from '../../support/supplier_call.ts'

const adapter = createBambooAdapter({ timeoutMs: 10_000 })
let bamboo: Bamboo

beforeAll(async () => {
  bamboo = await startBamboo()
})
afterEach(() => {
  bamboo.setFault(null)
  bamboo.onPlacing = () => undefined
  expect(bamboo.violations).toEqual([])
})
afterAll(async () => {
  await adapter.close()
  await bamboo.close()
})

const callOf = (given: Partial<SupplierCall> = {}) =>
  supplierCall({
    ...{ baseUrl: `${bamboo.url}/api/integration`, token: `555:${bamboo.client}` },
    ...{ sku: '439685/10', deliversKeys: true, unitCost: '9.50', currency: 'USD' },
    ...given,
  })

async function read(changes: object) {
  const call = callOf()
  await adapter.put(call)
  Object.assign(bamboo.orders.at(-1) ?? {}, changes)
  return adapter.get(call)
}

const notPlaced = (cause: string) => ({ outcome: 'not_placed', cause })
const outOfStock = { outcome: 'answered', status: 'failed', errorCode: 'OUT_OF_STOCK' }

describe('a reason', () => {
  test.each([
    ['InsufficientBalance', notPlaced('balance')],
    ['UserNotEnabled', notPlaced('credentials')],
    ['WrongAccount', notPlaced('settings')],
    ['InvalidProductIds', notPlaced('settings')],
    ['InvalidProduct', notPlaced('settings')],
    ['InvalidDenomination', notPlaced('settings')],
    ['NoProducts', notPlaced('settings')],
    ['ClientCatalogNotExist', notPlaced('settings')],
    ['ClientPriceInvalid', notPlaced('settings')],
    ['ProductIsOutOfStock', outOfStock],
    ['CardsLimitExceeded', outOfStock],
    ['OrderAlreadyExists', { outcome: 'answered', status: 'processing' }],
    ['OrderNotFound', { outcome: 'unknown' }],
    ['SomethingElse', { outcome: 'unknown', error: 'HTTP 400: SomethingElse' }],
    ['An error, in words', { outcome: 'unknown', error: 'HTTP 400' }],
  ])('%s has its outcome', async (reason, outcome) => {
    bamboo.onPlacing = () => reason
    expect(await adapter.put(callOf())).toMatchObject(outcome)
  })
})

test.each([
  [401, { message: 'Unauthorized' }, notPlaced('credentials')],
  [403, { error: 'Forbidden', message: 'no' }, notPlaced('credentials')],
  [429, { error: 'TooManyRequests' }, notPlaced('busy')],
  [400, { code: 'BadRequest', message: 'InsufficientBalance' }, notPlaced('balance')],
  [400, { message: 'BadRequest', reasonCode: 'ProductIsOutOfStock' }, outOfStock],
  [500, { message: 'InsufficientBalance' }, { outcome: 'unknown' }],
])('a %i with %j counts by the reason that is known, else by its status', async (status, json, outcome) => {
  bamboo.setFault({ damage: { status, json } })
  expect(await adapter.put(callOf())).toMatchObject(outcome)
})

test('an answer that echoes our credential is quoted without it, in each form', async () => {
  const [, client = '', secret = ''] = callOf().token.split(':')
  const sent = Buffer.from(`${client}:${secret}`).toString('base64')
  bamboo.setFault({ damage: { status: 500, json: { authorization: `Basic ${sent}`, secret } } })
  for (const outcome of [await adapter.put(callOf()), await adapter.get(callOf())]) {
    expect(outcome).toMatchObject({ raw: '{"authorization":"Basic [token]","secret":"[token]"}' })
  }
})

test('an order names the account, the product, the face value and our reference', async () => {
  const call = callOf({ sku: '439685/12.5' })
  await adapter.put(call)
  expect(bamboo.requests.at(-2)).toMatchObject({
    path: '/api/integration/v1.0/orders/checkout',
    body: {
      ...{ RequestId: call.reference, AccountId: 555 },
      Products: [{ ProductId: 439_685, Quantity: 2, Value: 12.5 }],
    },
  })
})

test.each([
  ['a top-up', { deliversKeys: false }],
  ['a sku without a face value', { sku: '439685' }],
  ['a sku with a face value of 0', { sku: '439685/0' }],
  ['a token without an account', { token: 'client:secret-of-nobody' }],
])('%s is not sent', async (_, given) => {
  const count = bamboo.requests.length
  expect(await adapter.put(callOf(given))).toMatchObject(notPlaced('settings'))
  expect(bamboo.requests).toHaveLength(count)
})

describe('an order', () => {
  const endings: [status: string, outcome: object][] = [
    ['Created', { status: 'processing' }],
    ['Processing', { status: 'processing' }],
    ['Pending', { status: 'processing' }],
    ['Succeeded', { status: 'completed', codes: ['A', 'B'] }],
    ['PartialFailed', { status: 'failed', codes: ['A', 'B'], errorCode: 'SUPPLIER_ERROR' }],
    ['Failed', { outcome: 'hold', codes: ['A', 'B'] }],
    ['Cancelled', { outcome: 'unknown' }],
  ]
  test.each(endings)('that is %s, with two cards that are sold, has its outcome', async (status, outcome) => {
    expect(await read({ status, cards: soldCards(['A', 'B']) })).toMatchObject(outcome)
  })

  test('that succeeded with a card that is not sold is held, and keeps the others', async () => {
    const [sold, other] = soldCards(['A', 'B'])
    const cards = [sold, { ...other, status: 'Refunded' }]
    expect(await read({ status: 'Succeeded', cards })).toMatchObject({ outcome: 'hold', codes: ['A'] })
    expect(await read({ status: 'PartialFailed', cards })).toMatchObject({ status: 'failed', codes: ['A'] })
  })

  test('has the parts of its cards, without blank ones and without an end in the year 1', async () => {
    const [card] = soldCards(['A'])
    const parts = { pin: '4711', serialNumber: 'S-1', expirationDate: '2030-01-31T00:00:00' }
    const cards = [
      { ...card, ...parts },
      { ...card, cardCode: 'B', expirationDate: '0001-01-01T00:00:00' },
    ]
    expect(await read({ status: 'Succeeded', cards })).toMatchObject({
      codes: [cardText({ code: 'A', pin: '4711', serial: 'S-1', expiresAt: '2030-01-31T00:00:00' }), 'B'],
    })
  })

  test('whose card has no code is held, and nothing of its cards is quoted', async () => {
    const cards = [{ status: 'Sold', cardCode: null, pin: '4711' }]
    const outcome = await read({ status: 'Succeeded', cards })
    expect(outcome).toMatchObject({ outcome: 'hold', error: expect.stringContaining('its cards make no sense') })
    expect(JSON.stringify(outcome)).not.toContain('4711')
  })
})

describe('the balance', () => {
  const balance = (given: Partial<SupplierCall> = {}) => adapter.balance?.(callOf(given))

  test('is that of the account in the token, whatever the others hold', async () => {
    bamboo.accounts = [account(554, 7), { id: '555' }, account(555, -12.5), account(556, 9)]
    expect(await balance()).toEqual({ ok: true, balance: -12.5, currency: 'USD' })
    expect(bamboo.requests.at(-1)).toMatchObject({ method: 'GET', path: '/api/integration/v1.0/accounts' })
  })

  test('is not known where that account is not listed or makes no sense, or the token names none', async () => {
    bamboo.accounts = [account(554, 7)]
    expect(await balance()).toEqual({ ok: false, error: 'it lists no account with the id of the token' })
    bamboo.accounts = [{ ...account(555, 7), balance: null }]
    expect(await balance()).toEqual({ ok: false, error: 'our account is unusable: balance must be a number' })
    expect(await balance({ token: bamboo.client })).toMatchObject({
      ok: false,
      error: expect.stringContaining('the form'),
    })
  })
})

describe('the list', () => {
  const list = async (product: object, skus = ['439685/10']) => {
    bamboo.products.set(439_685, { id: 439_685, ...product })
    const listing = await adapter.list?.(callOf(), skus)
    return listing?.ok ? listing.offers : listing
  }
  const price = { min: 4.9, max: 46, currencyCode: 'USD' }

  test('takes the higher rate of a range of face values, rounded up to the cent', async () => {
    const range = { minFaceValue: 5, maxFaceValue: 50, count: null, price }
    expect(await list(range, ['439685/10', '439685/12.55'])).toEqual([
      { sku: '439685/10', cost: '9.80', currency: 'USD', stock: null },
      { sku: '439685/12.55', cost: '12.30', currency: 'USD', stock: null },
    ])
    expect(await list(range, ['439685/51'])).toEqual([{ sku: '439685/51', problem: 'the face value must be 5 to 50' }])
  })

  test('has a problem of a product that makes no sense, and is an error where it is cut off', async () => {
    const wrong = { minFaceValue: 0, maxFaceValue: 50, price }
    expect(await list(wrong)).toEqual([{ sku: '439685/10', problem: 'minFaceValue must be more than 0' }])
    bamboo.setFault({ damage: { status: 200, json: { count: 3, items: [] } } })
    expect(await list(wrong)).toEqual({ ok: false, error: 'it lists 0 of 3 entries' })
  })
})
