import { beforeAll, describe, expect, test } from 'vitest'
import { httpTests } from '../../support/http_tests.ts'
import { makePartner, type Partner, products } from '../../support/partner.ts'

const { sql, partner, get } = httpTests()

let dollarPartner: Partner
beforeAll(async () => {
  dollarPartner = await makePartner(sql(), { currency: 'USD' })
})

describe('GET /b2b/catalog/games', () => {
  test('lists the games with delivery types and product counts', async () => {
    const { status, json } = await get('/b2b/catalog/games')
    expect(status).toBe(200)
    expect(json).toEqual({
      success: true,
      data: [
        {
          id: expect.any(Number),
          slug: 'space-trader',
          name: 'Space Trader',
          imageUrl: null,
          deliveryTypes: ['id_only', 'key'],
          productCount: 4,
        },
      ],
    })
  })

  test('counts the products that the products route lists', async () => {
    for (const who of [partner(), dollarPartner]) {
      const games = await get('/b2b/catalog/games', {}, who)
      const listed = await get('/b2b/catalog/games/space-trader/products', {}, who)
      expect(games.json.data[0].productCount).toBe(listed.json.data.length)
    }
  })
})

describe('GET /b2b/catalog/games/:slug/products', () => {
  test('gives a bare list of the products in the account’s currency', async () => {
    const { json } = await get('/b2b/catalog/games/space-trader/products')
    expect(json.data.map(({ id }: { id: number }) => id)).toEqual([101, 102, 103, 104])
    const dollars = await get('/b2b/catalog/games/space-trader/products', {}, dollarPartner)
    expect(dollars.json.data.map(({ id }: { id: number }) => id)).toEqual([products.dollars])
  })

  test('can be filtered by delivery type', async () => {
    const { json } = await get('/b2b/catalog/games/space-trader/products?deliveryType=key')
    expect(json.data.map(({ id }: { id: number }) => id)).toEqual([products.key])
    expect((await get('/b2b/catalog/games/space-trader/products?deliveryType=none')).json.data).toEqual([])
  })

  test.each(['no-such-game', 'Space-Trader', '%00', '%zz', 'x'.repeat(200), "';--"])(
    'knows no game %j',
    async (slug) => {
      const answer = await get(`/b2b/catalog/games/${slug}/products`)
      expect(answer).toMatchObject({ status: 404, json: { success: false, code: 'GAME_NOT_FOUND' } })
    },
  )
})

describe('a game with 5,001 products', () => {
  const path = '/b2b/catalog/games/bulk/products'
  const idsOf = ({ json }: { json: { data: { id: number }[] } }) => json.data.map(({ id }) => id)
  const nextOf = ({ headers }: { headers: Record<string, unknown> }) =>
    /^<(\?[^>]+)>; rel="next"$/.exec(String(headers.link))?.[1]

  beforeAll(async () => {
    const entries = Array.from({ length: 5001 }, (_, n) => n + 10_000)
    const catalog = {
      games: [{ slug: 'bulk', name: 'Bulk' }],
      products: entries.map((id) => ({
        ...{ id, game_slug: 'bulk', name: `Product ${id}`, price: 10, currency: 'RUB', delivery_type: 'key' },
      })),
      offers: entries.map((id) => ({ product_id: id, supplier: 'first', sku: `sku-${id}`, cost: 8 })),
    }
    await sql()`select ops.load_catalog(${sql().json(catalog)})`
  })

  test('is listed whole but for what is above the maximum, which the Link header leads to', async () => {
    const first = await get(path)
    expect(first.status).toBe(200)
    expect(first.json.data).toHaveLength(5000)
    expect(first.json.data[4999]).toMatchObject({ id: 14_999, inStock: true })
    const second = await get(`${path}${nextOf(first)}`)
    expect(idsOf(second)).toEqual([15_000])
    expect(second.headers).not.toHaveProperty('link')
  })

  test('has pages of the size that is asked for, with the same filter', async () => {
    const first = await get(`${path}?deliveryType=key&limit=2`)
    expect(idsOf(first)).toEqual([10_000, 10_001])
    expect(nextOf(first)).toBe('?deliveryType=key&limit=2&cursor=10001')
    expect(idsOf(await get(`${path}${nextOf(first)}`))).toEqual([10_002, 10_003])
    for (const wrong of ['limit=0', 'limit=5001', 'cursor=x']) expect((await get(`${path}?${wrong}`)).status).toBe(400)
  })
})

describe('GET /b2b/catalog/products/:id', () => {
  test('gives the product', async () => {
    const { json } = await get('/b2b/catalog/products/101')
    expect(json.data).toEqual({
      id: 101,
      gameSlug: 'space-trader',
      name: '100 credits',
      slug: '100-credits',
      wholesalePrice: 10.5,
      priceTiers: [],
      currency: 'RUB',
      region: null,
      countries: null,
      platform: null,
      imageUrl: null,
      deliveryType: 'id_only',
      amountType: null,
      inStock: true,
      stock: null,
      minQuantity: 1,
      maxQuantity: 100,
      deliveryDataSchema: [
        { id: 'gameUserId', type: 'text', label: 'Player ID', required: true, placeholder: '123456789' },
      ],
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      texts: null,
    })
  })

  test('shows a product that is out of stock', async () => {
    expect((await get('/b2b/catalog/products/104')).json.data.inStock).toBe(false)
  })

  test.each(['999', '105', '0', '-1', '1.5', 'x', '2147483648', '99999999999999999999', '0101', '%31%30%31x', '1e2'])(
    'is 404 for product %s',
    async (id) => {
      const answer = await get(`/b2b/catalog/products/${id}`)
      expect(answer).toMatchObject({ status: 404, json: { success: false, code: 'PRODUCT_NOT_FOUND' } })
    },
  )
})

test.each(['/b2b/catalog/games', '/b2b/catalog/games/space-trader/products', '/b2b/catalog/products/101'])(
  'the answer to %s is for one key, and a client that has it gets 304 while it is unchanged',
  async (path) => {
    const first = await get(path)
    const etag = String(first.headers.etag)
    expect(first.headers['cache-control']).toContain('private')
    expect(first.headers.vary).toContain('X-Api-Key')
    expect(etag).toMatch(/^"[\w-]+"$/)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await get(path, { 'if-none-match': known })
      expect([known, answer.status, answer.text]).toEqual([known, 304, ''])
      expect(answer.headers.etag).toBe(etag)
      expect(answer.headers['x-ratelimit-limit']).toBeDefined()
    }
    // As fetch sends it.
    const asked = await get(path, { 'if-none-match': etag, 'cache-control': 'no-cache' })
    expect(asked.status).toBe(304)
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200)
  },
)

test('a changed answer has another ETag', async () => {
  const before = await get('/b2b/catalog/products/103')
  await sql()`select ops.upsert_product(103, 'space-trader', '1000 credits', 99.00, 'RUB', 'id_only')`
  const after = await get('/b2b/catalog/products/103', { 'if-none-match': String(before.headers.etag) })
  expect(after).toMatchObject({ status: 200, json: { data: { wholesalePrice: 99 } } })
  expect(after.headers.etag).not.toBe(before.headers.etag)
})

describe('updatedSince', () => {
  const path = '/b2b/catalog/games/space-trader/products'

  test('gives the products and games that changed since then', async () => {
    const all = await get(path)
    const newest = all.json.data
      .map(({ updatedAt }: { updatedAt: string }) => updatedAt)
      .sort()
      .at(-1)
    const changed = await get(`${path}?updatedSince=${newest}`)
    expect(changed.json.data.length).toBeGreaterThan(0)
    expect(changed.json.data.length).toBeLessThan(all.json.data.length)
    const later = new Date(Date.parse(newest) + 1000).toISOString()
    expect((await get(`${path}?updatedSince=${later}`)).json.data).toEqual([])
    expect((await get(`/b2b/catalog/games?updatedSince=${later}`)).json.data).toEqual([])
  })

  test('gives the games between which a product moved, and the one that lost it', async () => {
    const upsert = (game: string, currency: string) =>
      sql()`select ops.upsert_product(900, ${game}, 'Wanderer', 1, ${currency}, 'key', allow => '{currency}')`
    const games = async () => {
      const [row] = await sql()`select core.iso(clock_timestamp()) as now`
      return async () => {
        const { json } = await get(`/b2b/catalog/games?updatedSince=${row?.now}`)
        return json.data.map(({ slug }: { slug: string }) => slug).sort()
      }
    }
    await sql()`select ops.upsert_game('other-game', 'Other Game')`
    await upsert('space-trader', 'RUB')
    const sinceMove = await games()
    await upsert('other-game', 'RUB')
    expect(await sinceMove()).toEqual(['other-game', 'space-trader'])
    const sinceCurrency = await games()
    await upsert('other-game', 'USD')
    expect(await sinceCurrency()).toEqual(['other-game'])
    const sinceNothing = await games()
    await upsert('other-game', 'USD')
    expect(await sinceNothing()).toEqual([])
  })

  test.each(['2026-01-31', '2026-01-31T12:00Z', '2026-01-31T12:00:00', '2026-01-31T12:00:00.123456%2B03:00'])(
    'takes %s',
    async (time) => {
      expect((await get(`${path}?updatedSince=${time}`)).status).toBe(200)
    },
  )

  test.each([
    '',
    'yesterday',
    '1',
    '2026',
    '2026-13-01',
    '2026-02-30',
    '2026-00-10',
    '2026-01-31T25:00:00Z',
    '2026-01-31T12:00:00+03:00',
    '2026-01-31T12:00:00Z%00',
    '0000-01-01',
    'infinity',
    '12026-01-31',
    '2026-01-31T12:00:00Z&updatedSince=2026-01-31',
  ])('refuses "%s"', async (time) => {
    for (const where of [path, '/b2b/catalog/games']) {
      const answer = await get(`${where}?updatedSince=${time}`)
      expect(answer).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } })
      expect(answer.json.details[0].path).toBe('updatedSince')
    }
  })
})
