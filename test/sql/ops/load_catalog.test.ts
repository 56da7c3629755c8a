import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { operatorOf, refusals, timesLogged } from '../../support/operator.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const database = testDatabase()
const sql = operatorOf(database)

type Entry = { [member: string]: unknown }
type Catalog = { suppliers?: Entry[]; games?: Entry[]; products?: Entry[]; offers?: Entry[] }

const load = (catalog: unknown) =>
  sql()`select ops.load_catalog(${sql().json(catalog as never)}, allow => '{large_change}')`

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

describe('a load of many products', () => {
  const ids = Array.from({ length: 300 }, (_, index) => 2000 + index)
  const many = {
    games: [{ slug: 'bulk', name: 'Bulk' }],
    suppliers: [{ code: 'bulk', base_url: 'https://bulk.example', token: 'a-secret' }],
    products: ids.map((id) => ({
      ...{ id, game_slug: 'bulk', name: `Product ${id}`, price: 10, currency: 'RUB', delivery_type: 'key' },
      region: null,
    })),
    offers: ids.map((id) => ({ product_id: id, supplier: 'bulk', sku: `sku-${id}`, cost: 8 })),
  }
  const changed = {
    ...many,
    products: many.products.map((product) => (product.id === 2001 ? { ...product, price: 12, region: 'EU' } : product)),
    offers: many.offers.map((offer) => (offer.product_id === 2002 ? { ...offer, cost: 9 } : offer)),
  }
  const versions = () => database.sql`
    select p.xmin::text || g.xmin::text || o.xmin::text || s.xmin::text as version
    from supply.products p join supply.games g on g.id = p.game_id
    join supply.offers o on o.product_id = p.id join supply.suppliers s on s.code = o.supplier
    where p.id = any (${ids}) order by p.id`

  beforeEach(() => load(many))

  test('says how many entries it changed', async () => {
    expect(await sql.noticesOf(() => load(changed))).toContain(
      'the catalog is loaded: changed 1 of 300 products, 1 of 300 offers, 0 of 1 games',
    )
    expect(await sql.noticesOf(() => load(changed))).toContain('the catalog has these values already: nothing changed')
  })

  test('locks and writes no row that does not change', async () => {
    const before = await versions()
    await database.sql.begin(async (tx) => {
      await tx`select from supply.products where id = any (${ids.filter((id) => id > 2002)}) for update`
      await tx`select from supply.offers where product_id = any (${ids.filter((id) => id > 2002)}) for update`
      await tx`select from supply.suppliers where code = 'bulk' for no key update`
      await tx`select from supply.games where slug = 'bulk' for no key update`
      await sql().begin(async (other) => {
        await other`set local lock_timeout = '2s'`
        await other`select ops.load_catalog(${other.json(changed)})`
      })
    })
    const after = await versions()
    const differing = ids.filter((_, index) => before[index]?.version !== after[index]?.version)
    expect(differing).toEqual([2001, 2002])
  })

  test('logs what it changed, with the values before', async () => {
    await load(changed)
    const logged = await sql()`
      select action, subject, detail -> 'before' as before from ops.operator_log
      where subject in ('product 2001', 'product 2002 at bulk') and detail ? 'before' order by log_id`
    expect(logged.slice(-2)).toEqual([
      { action: 'load_catalog', subject: 'product 2001', before: { price: 10, region: null } },
      { action: 'load_catalog', subject: 'product 2002 at bulk', before: { cost: 8 } },
    ])
  })

  test('keeps the cost, priority and currency that an offer does not list, and the picture of a game', async () => {
    await load({
      games: [{ slug: 'bulk', name: 'Bulk', image_url: 'https://img.example/1.png' }],
      offers: [{ product_id: 2003, supplier: 'bulk', sku: 'sku', cost: 7, priority: 5, currency: 'EUR' }],
    })
    await load({
      games: [{ slug: 'bulk', name: 'Bulk' }],
      offers: [{ product_id: 2003, supplier: 'bulk', sku: 'other' }],
    })
    expect(await sql()`select sku, cost, priority, currency from ops.offers where product_id = 2003`).toMatchObject([
      { sku: 'other', cost: '7.00', priority: 5, currency: 'EUR' },
    ])
    expect(await sql()`select image_url from ops.games where slug = 'bulk'`).toEqual([
      { image_url: 'https://img.example/1.png' },
    ])
    await load({ games: [{ slug: 'bulk', name: 'Bulk', image_url: null }] })
    expect(await sql()`select image_url from ops.games where slug = 'bulk'`).toEqual([{ image_url: null }])
  })

  test.each<[string, Catalog, RegExp]>([
    ['a product', { products: [many.products[0], many.products[0]] as Entry[] }, /product 2000 twice/],
    ['an offer', { offers: [many.offers[0], many.offers[0]] as Entry[] }, /offer of product 2000 at bulk twice/],
    ['a game', { games: [...many.games, ...many.games] }, /game bulk twice/],
  ])('refuses %s that it lists twice', async (_, catalog, message) => {
    await expect(load(catalog)).rejects.toMatchObject({
      ...refusals.wrongArgument,
      message: expect.stringMatching(message),
    })
  })

  test('names the product and the offer that it refuses', async () => {
    const [product] = many.products
    await expect(load({ products: [{ ...product, id: 2007, price: 0 }] })).rejects.toThrow(/^product 2007: price/)
    await expect(load({ products: [{ ...product, id: 2007, delivery_fields: [{ id: 1 }] }] })).rejects.toThrow(
      /^product 2007: delivery_fields\[0\]/,
    )
    const offer = { product_id: 2008, supplier: 'bulk', sku: ' ' }
    await expect(load({ offers: [offer] })).rejects.toThrow(/^product 2008 at bulk: sku/)
  })
})

describe('the demo catalog', () => {
  const demo: Required<Catalog> = JSON.parse(
    readFileSync(new URL('../../../db/seed/demo.json', import.meta.url), 'utf8'),
  )
  const suppliers = demo.suppliers.map((known) =>
    known.protocol === 'stock' ? known : { ...known, base_url: 'http://127.0.0.1:4000', token: 'token' },
  )
  const supplied = () => load({ ...demo, suppliers })

  beforeEach(supplied)

  test('has games with products of both kinds, one sold out, and some with two suppliers, of three protocols', async () => {
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
      else if (supplier !== 'demo-vault') expect(sku).toBe(String(product_id))
    }
    expect(offers.filter(({ suppliers }) => Number(suppliers) === 2)).toHaveLength(6)
    const protocols = await sql()`select distinct protocol from ops.suppliers where code like 'demo%' order by 1`
    expect(protocols.map(({ protocol }) => protocol)).toEqual(['b2b', 'http', 'stock'])
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
  await sql()`select ops.upsert_product(900, 'chess', 'A rook', 12, 'RUB', 'key', in_stock => false,
    allow => '{large_change}')`
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
