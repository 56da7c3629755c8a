import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { lastLogged, operatorOf, refusals, timesLogged } from '../../support/operator.ts'
import { products } from '../../support/partner.ts'

const database = testDatabase({ catalog: true })
const sql = operatorOf(database)
const { noticesOf } = sql
const id = products.topUp

const productOf = async (product: number) =>
  (
    await sql()`
      select image_url, platform, countries, updated_at::text as version from ops.products
      where product_id = ${product}`
  )[0]
const textsOf = (product: number) => sql()`
  select locale, description, redeem, terms from ops.product_texts where product_id = ${product} order by locale`

describe('ops.set_product_details', () => {
  test('sets what is given, keeps what is null, clears what is empty, and says and logs both values', async () => {
    await sql()`select ops.set_product_details('100 credits', 'https://img.example/1.png', 'Steam', '{DE,AT}')`
    const details = { image_url: 'https://img.example/1.png', platform: 'Steam', countries: ['DE', 'AT'] }
    expect(await productOf(id)).toMatchObject(details)

    const notices = await noticesOf((on) => on`select ops.set_product_details(${id}, '', countries => '{GB}')`)
    expect(notices).toEqual([
      `product ${id} (100 credits): countries ["DE", "AT"] → ["GB"], image_url https://img.example/1.png → none`,
    ])
    expect(await productOf(id)).toMatchObject({ image_url: null, platform: 'Steam', countries: ['GB'] })
    expect(await lastLogged(sql())).toMatchObject({
      ...{ action: 'set_product_details', subject: `product ${id}` },
      detail: { image_url: null, countries: ['GB'], before: { image_url: details.image_url, countries: ['DE', 'AT'] } },
    })

    await sql()`select ops.set_product_details(${id}, platform => '', countries => '{}')`
    expect(await productOf(id)).toMatchObject({ image_url: null, platform: null, countries: null })
  })

  test('of the values that a product has changes and logs nothing', async () => {
    const call = () => noticesOf((on) => on`select ops.set_product_details(${products.key}, platform => 'Xbox')`)
    await call()
    const before = await productOf(products.key)
    const logged = await timesLogged(sql())
    expect(await call()).toEqual([`product ${products.key} (Gift key) has these details already: nothing changed`])
    expect(await productOf(products.key)).toEqual(before)
    expect(await timesLogged(sql())).toBe(logged)
  })

  test('of a product stay when ops.upsert_product and ops.load_catalog change something else', async () => {
    const details = { image_url: 'http://127.0.0.1:8080/a%20b.png?x=1#y', platform: 'PS5', countries: ['XK'] }
    await sql()`select ops.set_product_details(${products.dollars}, ${details.image_url}, 'PS5', '{XK}')`
    await sql()`select ops.upsert_product(${products.dollars}, 'space-trader', 'Dollars', 1.10, 'USD', 'id_only')`
    const product = {
      ...{ id: products.dollars, game_slug: 'space-trader', name: 'Dollars', price: 1.2, currency: 'USD' },
      delivery_type: 'id_only',
    }
    const load = (entry: object) => sql()`select ops.load_catalog(${sql().json({ products: [entry] } as never)})`
    await load(product)
    expect(await productOf(products.dollars)).toMatchObject(details)
    await load({ ...product, image_url: null, countries: ['DE', 'AT'] })
    expect(await productOf(products.dollars)).toMatchObject({ ...details, image_url: null, countries: ['DE', 'AT'] })
    for (const countries of ['DE', ['de'], [['DE', 'AT']], [1], {}]) {
      await expect(load({ ...product, countries }), JSON.stringify(countries)).rejects.toMatchObject({
        ...refusals.wrongArgument,
        message: expect.stringContaining(`product ${products.dollars}: countries must be`),
      })
    }
  })

  test.each([
    [`image_url => 'ftp://img.example/1.png'`, /image_url/],
    [`image_url => 'javascript:alert(1)'`, /image_url/],
    [`image_url => '//img.example/1.png'`, /image_url/],
    [`image_url => 'https://'`, /image_url/],
    [`image_url => 'https://user:word@img.example/1.png'`, /image_url/],
    [`image_url => 'https://img.example/a b.png'`, /image_url/],
    [`image_url => 'https://img.example/"onload=x'`, /image_url/],
    [`image_url => 'https://img.example/жемчуг.png'`, /image_url/],
    [`image_url => 'https://img.example/' || repeat('a', 1981)`, /2000 characters/],
    [`platform => ' '`, /platform/],
    [`platform => repeat('a', 101)`, /platform/],
    [`countries => '{de}'`, /countries/],
    [`countries => '{DEU}'`, /countries/],
    [`countries => '{UK}'`, /GB/],
    [`countries => '{DE,DE}'`, /different/],
    [`countries => '{DE,null}'`, /countries/],
    [`countries => '{{DE,AT}}'`, /countries/],
  ])('refuses %s', async (given, message) => {
    const before = await productOf(id)
    await expect(sql().unsafe(`select ops.set_product_details(${id}, ${given})`)).rejects.toMatchObject({
      ...refusals.wrongArgument,
      message: expect.stringMatching(message),
    })
    expect(await productOf(id)).toEqual(before)
  })

  test('takes a picture’s URL of 2,000 characters', async () => {
    const url = `https://img.example/${'a'.repeat(1980)}`
    await sql()`select ops.set_product_details(${products.expensive}, ${url})`
    expect(await productOf(products.expensive)).toMatchObject({ image_url: url })
  })
})

describe('ops.set_product_text', () => {
  test('keeps redeem and terms that are null, clears empty ones, and says and logs both values', async () => {
    const first = { locale: 'en', description: 'Credits', redeem: 'In the game', terms: 'None' }
    await sql()`select ops.set_product_text(${id}, 'en', ${first.description}, ${first.redeem}, ${first.terms})`
    expect(await textsOf(id)).toEqual([first])
    const notices = await noticesOf(
      (on) => on`select ops.set_product_text('100 credits', 'en', 'Credits buy ships', terms => '')`,
    )
    expect(notices).toEqual([
      `product ${id} (100 credits) in en: terms 'None' → none, description 'Credits' → 'Credits buy ships'`,
    ])
    expect(await textsOf(id)).toEqual([{ ...first, description: 'Credits buy ships', terms: null }])
    const { locale, ...before } = first
    expect(await lastLogged(sql())).toMatchObject({
      ...{ action: 'set_product_text', subject: `product ${id}` },
      detail: { locale, description: 'Credits buy ships', redeem: 'In the game', terms: null, before },
    })
  })

  test('with a null description removes the locale alone, and logs what it was', async () => {
    await sql()`select ops.set_product_text(${products.key}, 'en', 'A key')`
    await sql()`select ops.set_product_text(${products.key}, 'ru', 'Ключ')`
    const remove = () => noticesOf((on) => on`select ops.set_product_text(${products.key}, 'en', null)`)
    expect(await remove()).toEqual([
      `product ${products.key} (Gift key) in en: the texts are removed; before: description 'A key'`,
    ])
    expect(await textsOf(products.key)).toMatchObject([{ locale: 'ru' }])
    expect(await lastLogged(sql())).toMatchObject({
      detail: { locale: 'en', description: null, before: { description: 'A key' } },
    })
    const [before, logged] = [await productOf(products.key), await timesLogged(sql())]
    expect(await remove()).toEqual([`product ${products.key} (Gift key) in en has no texts: nothing changed`])
    expect(await noticesOf((on) => on`select ops.set_product_text(${products.key}, 'ru', 'Ключ')`)).toEqual([
      `product ${products.key} (Gift key) in ru has these texts already: nothing changed`,
    ])
    expect([await productOf(products.key), await timesLogged(sql())]).toEqual([before, logged])
  })

  test.each([
    [`null, 'x'`, /locale/],
    [`'RU', 'x'`, /locale/],
    [`'ru_RU', 'x'`, /locale/],
    [`'ru-ru', 'x'`, /locale/],
    [`'русский', 'x'`, /locale/],
    [`'en', ''`, /null removes/],
    [`'en', ' '`, /null removes/],
    [`'en', repeat('ж', 4097)`, /description must have at most 8192 bytes, not 8194/],
    [`'en', 'x', redeem => repeat('x', 8193)`, /redeem/],
    [`'en', 'x', terms => repeat('x', 8193)`, /terms/],
  ])('refuses %s', async (given, message) => {
    await expect(sql().unsafe(`select ops.set_product_text(${products.dollars}, ${given})`)).rejects.toMatchObject({
      ...refusals.wrongArgument,
      message: expect.stringMatching(message),
    })
    expect(await textsOf(products.dollars)).toEqual([])
  })

  test('takes 8 KiB', async () => {
    const text = 'ж'.repeat(4096)
    await sql()`select ops.set_product_text(${products.expensive}, 'ru', ${text}, ${text}, ${text})`
    expect(await textsOf(products.expensive)).toEqual([{ locale: 'ru', description: text, redeem: text, terms: text }])
    await sql()`select ops.set_product_text(${products.expensive}, 'ru', null)`
  })
})

describe('the texts of ops.load_catalog', () => {
  const load = (...texts: object[]) => noticesOf((on) => on`select ops.load_catalog(${on.json({ texts } as never)})`)
  const entry = { product_id: products.outOfStock, locale: 'en', description: 'Sold', redeem: 'Later' }

  test('change what they name, keep what they omit, and lock nothing that does not change', async () => {
    expect(await load(entry)).toContain(
      'the catalog is loaded: changed 0 of 0 products, 0 of 0 offers, 0 of 0 games, 1 of 1 texts',
    )
    const { redeem, ...rest } = entry
    await database.sql.begin(async (tx) => {
      await tx`select from supply.products where id = ${products.outOfStock} for no key update`
      expect(await load(rest)).toEqual(['the catalog has these values already: nothing changed'])
      expect(await load({ ...entry, product_id: products.outOfStock, locale: 'ru', description: null })).toEqual([
        'the catalog has these values already: nothing changed',
      ])
    })
    await load({ ...rest, terms: 'None' })
    expect(await textsOf(products.outOfStock)).toEqual([{ locale: 'en', description: 'Sold', redeem, terms: 'None' }])
    await load({ ...rest, redeem: null })
    expect(await textsOf(products.outOfStock)).toMatchObject([{ redeem: null, terms: 'None' }])
    await load({ ...rest, description: null })
    expect(await textsOf(products.outOfStock)).toEqual([])
  })

  test('of a product are read in the order of the catalog where no locale is wanted', async () => {
    for (const locale of ['ru', 'de']) await load({ ...entry, locale, description: null })
    await load({ ...entry, locale: 'ru' }, { ...entry, locale: 'de' })
    const [read] = await database.sql`select core.product_texts(${products.outOfStock}, null) ->> 'locale' as locale`
    expect(read).toEqual({ locale: 'ru' })
  })

  test.each<[string, object[]]>([
    ['without a description', [{ product_id: id, locale: 'en', redeem: 'x' }]],
    ['with a misspelt member', [{ ...entry, text: 'x' }]],
    ['with a wrong number', [{ ...entry, product_id: 'x' }]],
    ['twice', [entry, { ...entry, description: 'x' }]],
    ['too long', [{ ...entry, description: 'x'.repeat(8193) }]],
  ])('%s are refused', async (_, texts) => {
    await expect(load(...texts)).rejects.toMatchObject(refusals.wrongArgument)
  })
})
