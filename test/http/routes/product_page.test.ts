import { expect, test } from 'vitest'
import { httpTests } from '../../support/http_tests.ts'
import { products } from '../../support/partner.ts'

const { sql, get } = httpTests()

const address = `/b2b/catalog/products/${products.topUp}`
const texts = async (locale?: string) =>
  (await get(locale === undefined ? address : `${address}?locale=${locale}`)).json.data.texts
const setText = (locale: string, description: string | null) =>
  sql()`select ops.set_product_text(${products.topUp}, ${locale}, ${description})`

/** Puts a product's last change into the past, and returns when that was. */
async function age(id: number): Promise<string> {
  await sql()`update supply.products set updated_at = '2020-01-01' where id = ${id}`
  return '2020-01-02'
}

test('every answer of the catalog has picture, platform and countries; a change of these shows as one', async () => {
  const details = { imageUrl: 'https://img.example/101.png', platform: 'Steam', countries: ['DE', 'AT'] }
  const lists = ['/b2b/catalog/products', '/b2b/catalog/games/space-trader/products']
  const since = await age(products.topUp)
  for (const list of lists) {
    const { json } = await get(`${list}?updatedSince=${since}`)
    expect((json.data.products ?? json.data).map(({ id }: { id: number }) => id)).not.toContain(products.topUp)
  }
  const { etag } = (await get(address)).headers

  await sql()`select ops.set_product_details(${products.topUp}, ${details.imageUrl}, ${details.platform},
    ${details.countries})`
  for (const list of lists) {
    const { json } = await get(`${list}?updatedSince=${since}`)
    expect(json.data.products ?? json.data).toContainEqual(expect.objectContaining({ id: products.topUp, ...details }))
  }
  const changed = await get(address, { 'if-none-match': String(etag) })
  expect(changed).toMatchObject({ status: 200, json: { data: details } })

  await sql()`select ops.set_product_details(${products.topUp}, countries => '{}')`
  expect((await get(address)).json.data).toMatchObject({ ...details, countries: null })
})

test('texts are those of the locale, else of its language, else the oldest ones', async () => {
  expect(await texts('ru')).toBeNull()
  for (const locale of ['en', 'ru', 'pt-BR', 'zh-Hant', 'de-AT', 'de']) await setText(locale, `in ${locale}`)
  // A change does not make a text younger.
  await setText('en', 'changed')
  const wanted: [string | undefined, string][] = [
    [undefined, 'en'],
    ['ru', 'ru'],
    ['RU', 'ru'],
    ['ru-KZ', 'ru'],
    ['pt-br', 'pt-BR'],
    ['pt', 'pt-BR'],
    ['zh-hant', 'zh-Hant'],
    ['de-AT', 'de-AT'],
    ['de-CH', 'de'],
    ['fr', 'en'],
    ['ptx', 'en'],
  ]
  for (const [asked, locale] of wanted) {
    expect(await texts(asked), asked).toEqual({
      locale,
      description: locale === 'en' ? 'changed' : `in ${locale}`,
      redeem: null,
      terms: null,
    })
  }
  await setText('en', null)
  await setText('en', 'again')
  expect(await texts()).toMatchObject({ locale: 'ru' })
})

test('texts arrive as they were written, with markup and line ends', async () => {
  const written = {
    description: '# <script>alert("1")</script>\r\n\t**& ”</p>" \\ \u2028 жемчуг 🦪',
    redeem: '[a](javascript:1)',
    terms: ' ',
  }
  await sql()`select ops.set_product_text(${products.key}, 'en', ${written.description}, ${written.redeem},
    ${written.terms})`
  const { json } = await get(`/b2b/catalog/products/${products.key}`)
  expect(json.data.texts).toEqual({ locale: 'en', ...written })
})

test('a change of texts moves updatedAt and the ETag, and lists have no texts', async () => {
  const since = await age(products.topUp)
  const list = `/b2b/catalog/products?updatedSince=${since}`
  const seen = async () => (await get(list)).json.data.products.find(({ id }: { id: number }) => id === products.topUp)
  expect(await seen()).toBeUndefined()
  const { etag } = (await get(address)).headers
  await setText('en', 'new words')
  expect(Object.keys(await seen())).not.toContain('texts')
  expect((await get(address, { 'if-none-match': String(etag) })).status).toBe(200)
})

test.each(['', 'r', 'ru_RU', 'ru-', 'русский', 'en,ru', 'a'.repeat(200), 'ru%00', "ru';--", 'ru&locale=en'])(
  'locale "%s" is refused',
  async (locale) => {
    const answer = await get(`${address}?locale=${encodeURI(locale).replaceAll('%25', '%')}`)
    expect(answer).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR', details: [{ path: 'locale' }] } })
  },
)
