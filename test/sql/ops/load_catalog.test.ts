import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { operatorOf, refusals, timesLogged } from '../../support/operator.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const database = testDatabase()
const sql = operatorOf(database)

type Entry = { [member: string]: unknown }
type Catalog = { suppliers?: Entry[]; games?: Entry[]; products?: Entry[]; offers?: Entry[] }

const load = (catalog: unknown) => sql()`select ops.load_catalog(${sql().json(catalog as never)})`

const small: Required<Catalog> = {
  suppliers: [{ code: 'small', base_url: 'https://small.example', token: 'a-secret' }],
  games: [{ slug: 'chess', name: 'Chess' }],
  products: [{ id: 900, game_slug: 'chess', name: 'A rook', price: 1, currency: 'RUB', delivery_type: 'key' }],
  offers: [{ product_id: 900, supplier: 'small', sku: 'rook' }],
}

describe('a catalog in one document', () => {
  test('is loaded with the defaults of the single functions', async () => {
    await load(small)
    expect(await sql()`select * from ops.products where product_id = 900`).toMatchObject([
      {
        ...{ game_slug: 'chess', name: 'A rook', price: '1.00', delivery_fields: [], region: null },
        ...{ max_quantity: 100, in_stock: true, available: true },
      },
    ])
    expect(await sql()`select sku, cost, priority from ops.offers where product_id = 900`).toMatchObject([
      { sku: 'rook', cost: null, priority: 100 },
    ])
    expect(await sql()`select protocol from ops.suppliers where code = 'small'`).toMatchObject([{ protocol: 'http' }])
  })

  test('may list a part, and the rest stays', async () => {
    await load(small)
    await load({ games: [{ slug: 'go', name: 'Go' }] })
    await load({})
    expect(await sql()`select slug from ops.games where slug in ('chess', 'go')`).toHaveLength(2)
  })

  test('keeps the attributes of a product that its entry does not list, and null clears', async () => {
    const [product] = small.products
    await load({ ...small, products: [{ ...product, region: 'EU', amount_value: 60, in_stock: false }] })
    await load({ products: [{ ...product, price: 2, amount_value: null }] })
    expect(await sql()`select * from ops.products where product_id = 900`).toMatchObject([
      { price: '2.00', region: 'EU', amount_value: null, in_stock: false },
    ])
  })

  test.each<[string, unknown]>([
    ['an unknown part', { ...small, prices: [] }],
    ['a misspelt member', { ...small, games: [{ slug: 'chess', title: 'Chess' }] }],
    ['a product without an id', { ...small, products: [{ ...small.products[0], id: null }] }],
    ['a product that is refused by itself', { ...small, products: [{ ...small.products[0], price: 0 }] }],
    ['an entry that is no object', { ...small, games: ['chess'] }],
    ['something that is no object', []],
  ])('with %s is refused as a whole', async (_, catalog) => {
    await expect(load(catalog)).rejects.toMatchObject(refusals.wrongArgument)
  })

  test('with an offer of an unknown product is refused as a whole', async () => {
    const offers = [{ product_id: 901, supplier: 'small', sku: 'x' }]
    await expect(load({ games: [{ slug: 'shogi', name: 'Shogi' }], offers })).rejects.toMatchObject(refusals.unknown)
    expect(await sql()`select from ops.games where slug = 'shogi'`).toHaveLength(0)
  })

  test('shows no token when it refuses a supplier', async () => {
    const refused = load({ suppliers: [{ code: 'small', url: 'https://small.example', token: 'a-secret' }] })
    await expect(refused).rejects.toMatchObject({
      ...refusals.wrongArgument,
      message: 'a supplier has an unknown member: url',
    })
  })
})

describe('the demo catalog', () => {
  const demo: Required<Catalog> = JSON.parse(
    readFileSync(new URL('../../../db/seed/demo.json', import.meta.url), 'utf8'),
  )
  const suppliers = demo.suppliers.map((known) => ({ ...known, base_url: 'http://127.0.0.1:4000', token: 'token' }))
  const supplied = () => load({ ...demo, suppliers })

  beforeEach(supplied)

  test('has games with products of both kinds, one sold out, and some with two suppliers, of two protocols', async () => {
    const products = await sql()`select * from ops.products where product_id between 101 and 199`
    expect(products.length).toBe(demo.products.length)
    expect(new Set(products.map(({ currency }) => currency))).toEqual(new Set(['RUB']))
    expect(new Set(products.map(({ game_slug }) => game_slug)).size).toBe(4)
    expect(products.filter(({ available }) => !available)).toHaveLength(1)
    expect(JSON.stringify(products)).toContain('"select"')
    expect(products.filter(({ delivery_type }) => delivery_type === 'key').length).toBeGreaterThan(1)
    for (const { delivery_type, delivery_fields } of products) {
      const ids = delivery_fields.map(({ id }: { id: string }) => id)
      expect(ids).toEqual(delivery_type === 'key' ? [] : expect.arrayContaining(['gameUserId']))
    }
    const offers = await sql()`
      select o.sku, o.supplier, p.product_id, p.delivery_type, count(*) over (partition by o.product_id) as suppliers
      from ops.offers o join ops.products p using (product_id) where o.supplier like 'demo%'`
    for (const { sku, supplier, product_id, delivery_type } of offers) {
      if (supplier === 'demo') expect(sku.startsWith('KEY-')).toBe(delivery_type === 'key')
      else expect(sku).toBe(String(product_id))
    }
    expect(offers.filter(({ suppliers }) => Number(suppliers) === 2)).toHaveLength(4)
    const protocols = await sql()`select distinct protocol from ops.suppliers where code like 'demo%' order by 1`
    expect(protocols.map(({ protocol }) => protocol)).toEqual(['b2b', 'http'])
  })

  test('changes nothing when it is loaded again', async () => {
    const everything = async () => [
      await sql()`select * from ops.games order by 1`,
      await sql()`select * from ops.products order by 1`,
      await sql()`select * from ops.offers order by 1, 2`,
      await sql()`select * from ops.suppliers order by 1`,
      await timesLogged(sql()),
    ]
    const before = await everything()
    await supplied()
    expect(await everything()).toEqual(before)
  })
})

test('the demo catalog is loaded once: a later start keeps the changes of operators', async () => {
  const loadAt = (baseUrl: string) => {
    const suppliers = ['sim', 'real'].map((code) => ({ code, base_url: baseUrl, token: 't' }))
    const catalog = { ...small, suppliers, offers: [{ product_id: 900, supplier: 'sim', sku: 'rook' }] }
    return oneValue<boolean>(sql()`select ops.load_demo(${sql().json(catalog as never)})`)
  }
  expect(await loadAt('http://127.0.0.1:4001')).toBe(true)
  await sql()`select ops.ensure_demo_key()`
  await sql()`select ops.upsert_product(900, 'chess', 'A rook', 12, 'RUB', 'key', in_stock => false)`
  await sql()`select ops.upsert_supplier('real', 'https://supplier.example', 'r')`

  expect(await loadAt('http://127.0.0.1:4002')).toBe(false)
  expect(await sql()`select price, in_stock from ops.products where product_id = 900`).toEqual([
    { price: '12.00', in_stock: false },
  ])
  expect(await sql()`select code, base_url from ops.suppliers where code in ('sim', 'real') order by code`).toEqual([
    { code: 'real', base_url: 'https://supplier.example' },
    { code: 'sim', base_url: 'http://127.0.0.1:4002' },
  ])
})
