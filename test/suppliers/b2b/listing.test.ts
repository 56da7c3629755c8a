import { expect, it } from 'vitest'
import type { StandInAnswer } from '../../support/servers/supplier_stand_in.ts'
import { b2bDriver } from '../conformance/b2b_driver.ts'
import { setUp } from '../conformance/suite.ts'

const { adapter, supplier, order, during } = setUp(b2bDriver)

const list = (skus: string[], signal?: AbortSignal) => adapter().list?.(order(), skus, signal)
const paths = (from: number) =>
  supplier()
    .requests.slice(from)
    .map(({ path }) => path)

it('the list holds the requested products, with cost and stock', async () => {
  supplier().list?.({ sku: '112', cost: '790.00', currency: 'RUB', stock: null })
  supplier().list?.({ sku: '113', cost: '489.50', currency: 'USD', stock: 0 })
  supplier().list?.({ sku: '114', cost: '969.00', currency: 'RUB', stock: null })
  expect(await list(['113', '112', '999', 'KEY-1'])).toEqual({
    ok: true,
    offers: [
      { sku: '112', cost: '790.00', currency: 'RUB', stock: null },
      { sku: '113', cost: '489.50', currency: 'USD', stock: 0 },
    ],
  })
})

it('the list asks game by game, and for nothing where no sku is a product', async () => {
  const { length } = supplier().requests
  await list(['112'])
  expect(paths(length)).toEqual([
    '/b2b/catalog/games',
    '/b2b/catalog/games/no-products/products',
    '/b2b/catalog/games/frost-kingdoms/products',
  ])
  await list(['KEY-1'])
  expect(paths(length)).toHaveLength(3)
})

it('the list asks for texts only where they are wanted, and is complete without them', async () => {
  const texts = { locale: 'ru', description: '60 **жемчужин**', redeem: 'В игре', terms: null }
  supplier().list?.({ sku: '112', cost: '790.00', currency: 'RUB', stock: null, texts })
  const { length } = supplier().requests
  const wanted = async () => adapter().list?.(order(), ['112', '113'], undefined, ['113', '112'])
  expect(await wanted()).toMatchObject({ ok: true, offers: [{ sku: '112', texts }, { sku: '113' }] })
  expect(paths(length).slice(3)).toEqual(['/b2b/catalog/products/113', '/b2b/catalog/products/112'])
  const to = ({ path }: { path: string }) => path.includes('/catalog/products/')
  const offers = [
    { sku: '112', cost: '790.00', currency: 'RUB', stock: null },
    { sku: '113', cost: '489.50', currency: 'USD', stock: 0 },
  ]
  for (const damage of [{ status: 404 }, { status: 429 }, { status: 200, json: { data: { id: 7, texts } } }])
    expect(await during({ damage, to }, wanted), JSON.stringify(damage)).toEqual({ ok: true, offers })
})

it('the list ends where all is found', async () => {
  const games = [{ slug: 'frost-kingdoms' }, { slug: 'another' }]
  const { length } = supplier().requests
  const damage = (answer: StandInAnswer) => ({ ...answer, json: { data: games } })
  const to = ({ path }: { path: string }) => path.endsWith('/games')
  expect(await during({ damage, to }, async () => list(['112']))).toMatchObject({ ok: true })
  expect(paths(length)).toEqual(['/b2b/catalog/games', '/b2b/catalog/games/frost-kingdoms/products'])
})

it('the list waits for a 429 once, and gives up at the second', async () => {
  let refused = 0
  const limited = { status: 429, headers: { 'retry-after': '1' } }
  const first = (limit: number) => () => {
    refused += 1
    return refused <= limit
  }
  expect(await during({ damage: limited, to: first(1) }, async () => list(['112']))).toMatchObject({ ok: true })
  refused = 0
  expect(await during({ damage: limited, to: first(2) }, async () => list(['112']))).toEqual({
    ok: false,
    error: 'HTTP 429',
    httpStatus: 429,
  })
  const long = { status: 429, headers: { 'retry-after': '61' } }
  expect(await during({ damage: long }, async () => list(['112']))).toEqual({
    ok: false,
    error: 'HTTP 429',
    httpStatus: 429,
  })
})

it('the wait for a 429 ends with the call', async () => {
  const controller = new AbortController()
  const to = () => {
    setImmediate(() => controller.abort())
    return true
  }
  const damage = { status: 429, headers: { 'retry-after': '60' } }
  expect(await during({ damage, to }, async () => list(['112'], controller.signal))).toEqual({
    ok: false,
    error: 'cancelled',
  })
})

it.each([
  ['a price with three decimals', { wholesalePrice: 1.005 }, 'wholesalePrice must have at most two decimals'],
  ['a negative price', { wholesalePrice: -1 }, 'wholesalePrice must not be negative'],
  ['a price that is a text', { wholesalePrice: '790.00' }, 'wholesalePrice must be a number'],
  ['no price', { wholesalePrice: undefined }, 'wholesalePrice is missing'],
  ['no currency', { currency: 'roubles' }, 'currency must be a currency'],
  ['no word of its stock', { inStock: null }, 'inStock must be true or false'],
])('a product with %s is a problem of its own', async (_, change, problem) => {
  const product = { id: 112, wholesalePrice: 790, currency: 'RUB', inStock: true }
  const to = ({ path }: { path: string }) => path.endsWith('/products')
  const damage = {
    status: 200,
    json: { data: [null, 7, { id: 'x' }, { ...product, ...change }, { ...product, id: 113 }] },
  }
  expect(await during({ damage, to }, async () => list(['112', '113']))).toEqual({
    ok: true,
    offers: [
      { sku: '112', problem },
      { sku: '113', cost: '790.00', currency: 'RUB', stock: null },
    ],
  })
})

it('the list has a price with the noise of binary fractions', async () => {
  const product = { id: 112, wholesalePrice: 0.7999999999999999, currency: 'RUB', inStock: true }
  const to = ({ path }: { path: string }) => path.endsWith('/products')
  expect(await during({ damage: { status: 200, json: { data: [product] } }, to }, async () => list(['112']))).toEqual({
    ok: true,
    offers: [{ sku: '112', cost: '0.80', currency: 'RUB', stock: null }],
  })
})

it.each([
  [{ data: [{ slug: '../admin' }] }, 'data[0].slug must be a slug'],
  [{ data: Array.from({ length: 1001 }, () => ({ slug: 'a' })) }, 'data has more than 1000 games'],
])('of games that cannot be asked for there is no list', async (json, problem) => {
  expect(await during({ damage: { status: 200, json } }, async () => list(['112']))).toEqual({
    ok: false,
    error: `the answer is unusable: ${problem}`,
  })
})
