import { beforeAll, describe, expect, test } from 'vitest'
import { errorNames, errorOf } from '../../../src/http/errors.ts'
import { openApiDocument } from '../../../src/site/openapi/document.ts'
import { breakFunctions, testDatabase } from '../../support/database.ts'
import { completed, answer as settle } from '../../support/items.ts'
import { loadDemoCatalog, makePartner, type Partner } from '../../support/partner.ts'
import { type Answer, exchangeRaw, testApi } from '../../support/service.ts'
import { blocksOf, guideText, guideTexts } from '../guide_text.ts'

const page = guideText('errors')

/** The sections of the page by their headings of the third level, each with its text. */
const sections = new Map(
  page.split(/^(?=###? )/m).flatMap((section) => {
    const heading = /^### `?([^\n`]+)`?\n/.exec(section)?.[1]
    return heading === undefined ? [] : [[heading, section] as const]
  }),
)

const bodies = errorNames.map((name) => ({ name, ...(errorOf(name) as { status: number; body: { code?: string } }) }))

/** The statuses with which each code comes. */
const statusesOf = new Map<string, number[]>()
for (const { status, body } of bodies) {
  if (body.code === undefined) continue
  const known = statusesOf.get(body.code) ?? []
  statusesOf.set(body.code, [...new Set([...known, status])].sort())
}
const codes = [...statusesOf.keys()]
const isCode = (text: string) => /^[A-Z]+(_[A-Z]+)*$/.test(text)

describe('the page on errors', () => {
  test('has a section for each code that there is, and for no other', () => {
    expect([...sections.keys()].filter(isCode).sort()).toEqual(codes.sort())
  })

  test('has all codes that the reference has of an operation for partners', () => {
    const operations = Object.entries(openApiDocument().paths).filter(([path]) => /^\/(b2b|simulation)\//.test(path))
    const examples = JSON.stringify(operations).matchAll(/"success":false,"error":"[^"]*","code":"([A-Z_]+)"/g)
    const documented = new Set([...examples].map(([, code]) => code))
    expect(documented.size).toBeGreaterThan(15)
    expect([...sections.keys()]).toEqual(expect.arrayContaining([...documented]))
  })

  test.each(codes)('says with which statuses %s comes, in its section and in the overview', (code) => {
    const said = (text = '') => [...text.matchAll(/\b[45]\d\d\b/g)].map(([status]) => Number(status))
    const bold = [...(sections.get(code) ?? '').matchAll(/^\*\*(.*?)\*\*/gm)].flatMap(([, text]) => said(text))
    expect([...new Set(bold)].sort()).toEqual(statusesOf.get(code))
    const row = new RegExp(`^\\| \\[\`${code}\`\\]\\(#${code.toLowerCase()}\\) \\| ([^|]*) \\|`, 'm').exec(page)
    expect(said(row?.[1])).toEqual(statusesOf.get(code))
  })

  test('has each text that a RATE_LIMITED can have', () => {
    const texts = bodies.filter(({ body }) => body.code === 'RATE_LIMITED').map(({ body }) => Object(body).error)
    const shown = [...(sections.get('RATE_LIMITED') ?? '').matchAll(/^\| `([A-Z][^`]+)` \|/gm)].map(([, text]) => text)
    expect(shown).toEqual(texts)
  })

  test('has each message of a 401 and a 403 that a partner can get', () => {
    const ofSuppliers = ['BAD_SIGNATURE']
    for (const { name, body } of bodies) {
      const { message } = Object(body)
      if (message !== undefined && !ofSuppliers.includes(name)) expect(page).toContain(message)
    }
  })
})

const database = testDatabase()
const sql = () => database.sql
const config = { docsPassword: 'open sesame', trustProxyHops: 1 }
const times = { headersMs: 400, requestMs: 800 }
const api = testApi(() => database.url, { config, times })
const narrow = testApi(() => database.url, { config: { ...config, rateLimitPerMinute: 1 } })
const cutOff = testApi(() => 'postgres://nobody@127.0.0.1:1/nothing', { config })
const broken = testDatabase()
const failing = testApi(() => broken.url, { config })

let partner: Partner
let keys: { poor: string; limited: string; storefront: string }
beforeAll(async () => {
  await loadDemoCatalog(sql(), { url: 'http://127.0.0.1:9', token: 'token' })
  partner = await makePartner(sql(), { balance: 1000 })
  const limited = await makePartner(sql(), { balance: 50_000 })
  await sql()`select ops.set_spending_limit(${limited.accountId}, 100, 'hour', ${limited.keyId})`
  keys = {
    limited: limited.key,
    poor: (await makePartner(sql(), { balance: 12.5 })).key,
    storefront: (await makePartner(sql(), { kind: 'storefront', balance: 0 })).key,
  }
  await breakFunctions(broken.sql, 'api.admit')
})

const pearls = { productId: 101, quantity: 1, deliveryData: { gameUserId: '123456789' } }
const place = (order: object, key = partner.key, headers = {}) =>
  api().post('/b2b/orders', { key, headers, body: { externalOrderId: 'shop-1001', items: [pearls], ...order } })
const placeOne = (item: object) => place({ externalOrderId: 'shop-1002', items: [{ ...pearls, ...item }] })
const get = (path: string) => api().get(path, { key: partner.key })
const redeliver = (eventId: string) => api().post(`/b2b/events/${eventId}/redeliver`, { key: partner.key })
const nobody = '3c9a1f52-7d64-4b0e-8a27-1f0e9d8c7b6a'

async function raw(bytes: string): Promise<Answer> {
  const text = await exchangeRaw(api().port, bytes)
  const [head = '', body = ''] = text.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), headers: {}, text: body, json: JSON.parse(body) }
}

/** The id of the event about a new order that was completed. */
async function makeEvent(): Promise<string> {
  const order = { externalOrderId: 'shop-1003', callbackUrl: 'https://hooks.shop.example/supply' }
  const { json } = await place(order)
  await settle(sql(), json.data.items[0].id, completed())
  return (await get(`/b2b/orders/${json.data.code}`)).json.data.deliveries.eventId
}

/** How each section's answers come about, in the order of its examples. */
const causes: { [heading: string]: (() => Promise<Answer>)[] } = {
  'No answer': [],
  UNAVAILABLE: [() => cutOff().get('/b2b/balance', { key: partner.key })],
  INTERNAL: [() => failing().get('/b2b/balance', { key: partner.key })],
  REQUEST_TIMEOUT: [() => raw('GET /livez HTTP/1.1\r\nHost: x\r\n')],
  RATE_LIMITED: [
    async () => {
      await narrow().get('/b2b/balance', { key: partner.key })
      return narrow().get('/b2b/balance', { key: partner.key })
    },
  ],
  INSUFFICIENT_BALANCE: [() => place({}, keys.poor)],
  NOT_CANCELLABLE: [
    async () => {
      const { json } = await place({ externalOrderId: 'shop-1004' })
      await settle(sql(), json.data.items[0].id, completed())
      return api().post(`/b2b/orders/${json.data.code}/cancel`, { key: partner.key })
    },
  ],
  SPENDING_LIMIT: [
    async () => {
      await place({}, keys.limited)
      return place({ externalOrderId: 'shop-1002' }, keys.limited)
    },
  ],
  VALIDATION_ERROR: [
    () => api().post('/b2b/orders', { key: partner.key, body: { items: [{ productId: 101, quantity: 0 }] } }),
    () => raw('GET /livez HTTP/1.1\r\nBad Header: y\r\n\r\n'),
  ],
  INVALID_CALLBACK_URL: [() => place({ externalOrderId: 'shop-1002', callbackUrl: 'https://localhost/supply' })],
  DELIVERY_DATA_INVALID: [() => placeOne({ productId: 105, deliveryData: { server: 'Africa' } })],
  PRODUCT_NOT_FOUND: [() => placeOne({ productId: 999 }), () => get('/b2b/catalog/products/999')],
  PRODUCT_UNAVAILABLE: [() => placeOne({ productId: 110 })],
  QUANTITY_OUT_OF_RANGE: [() => placeOne({ quantity: 101 })],
  PRICE_CHANGED: [
    () => place({ externalOrderId: 'shop-1002', maxTotal: 170, items: [{ ...pearls, quantity: 2, maxPrice: 85 }] }),
  ],
  IDEMPOTENCY_KEY_REUSED: [
    async () => {
      await place({})
      return place({ items: [{ ...pearls, quantity: 2 }] })
    },
  ],
  GAME_NOT_FOUND: [() => get('/b2b/catalog/games/dragon-harbour/products')],
  ORDER_NOT_FOUND: [() => get('/b2b/orders/ord_4c0d9f6e1b7a42f38e5d2c1b0a998877')],
  EVENT_NOT_FOUND: [() => redeliver(nobody)],
  EVENT_NOT_FINAL: [
    async () => {
      await sql()`update supply.orders set idempotency_key = code, external_order_id = code where external_order_id = 'shop-1003'`
      return redeliver(await makeEvent())
    },
  ],
  NOT_FOUND: [() => get('/b2b/order')],
  METHOD_NOT_ALLOWED: [() => api().send('PUT', '/b2b/orders', { key: partner.key })],
  BODY_TOO_LARGE: [() => place({ note: 'x'.repeat(70_000) })],
  UNSUPPORTED_MEDIA_TYPE: [() => place({}, partner.key, { 'content-type': 'text/plain' })],
  HEADERS_TOO_LARGE: [() => raw(`GET /livez HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`)],
  '401 Unauthorized': [() => api().get('/b2b/balance')],
  '403 Forbidden': [() => api().get('/b2b/balance', { key: keys.storefront })],
  '403 Origin not allowed': [() => place({}, partner.key, { origin: 'https://shop.example' })],
}

/** An answer without what is another one each time. */
function lasting(body: object): object {
  const text = JSON.stringify(body).replace(/ord_[0-9a-f]{32}/g, 'ord_')
  return JSON.parse(text, (name, value) => {
    if (name === 'requestId') return undefined
    return name === 'retryAfter' || name === 'resetsAt' ? typeof value : value
  })
}

describe('the examples', () => {
  test('are of every section, and of no other', () => {
    const shown = [...sections].map(([heading, text]) => [heading, blocksOf(text).length])
    expect(Object.fromEntries(shown)).toEqual(
      Object.fromEntries(Object.entries(causes).map(([heading, asked]) => [heading, asked.length])),
    )
  })

  test.each(Object.entries(causes))('of %s are what the service answers', async (heading, asked) => {
    const section = sections.get(heading) ?? ''
    const said = heading + [...section.matchAll(/^\*\*.*?\*\*/gm)].join()
    const examples = blocksOf(section).map(({ text }) => JSON.parse(text))
    for (const [index, ask] of asked.entries()) {
      const { status, json } = await ask()
      expect(lasting(examples[index] ?? {})).toEqual(lasting(json))
      expect(said).toContain(String(status))
    }
  })
})

describe('what items and events say', () => {
  const rowsBelow = (heading: string) =>
    [...(page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)` \| ([^|`]+) \|/gm)].map(
      ([, word = '', text = '']) => [word, text.trim()],
    )

  test('each errorCode with a text for buyers is on the page, with its very text', async () => {
    const reasons = await sql()`select error_code, reason from supply.reasons`
    const said = reasons.map(({ error_code, reason }) => [error_code, reason])
    expect(rowsBelow('Why an item failed').sort()).toEqual(said.sort())
  })

  test('each word for a failed delivery is on the page', async () => {
    const kinds = await sql()`select unnest(enum_range(null::supply.delivery_error_kind))::text as kind`
    const words = ['lost', 'http_', ...kinds.map(({ kind }) => kind)]
    const shown = rowsBelow('Why a webhook was not delivered').map(([word = '']) => word.replace(/_[345].*/, '_'))
    expect([...new Set(shown)].sort()).toEqual([...words].sort())
  })

  test('no page names an error that does not exist', async () => {
    const reasons = await sql()`select error_code from supply.reasons`
    const known = [...codes, ...reasons.map(({ error_code }) => error_code), 'ORDER_FAILED']
    const named = guideTexts.flatMap(({ text }) => [...text.matchAll(/`([A-Z]+_[A-Z_]+)`/g)].map(([, code]) => code))
    expect(named.length).toBeGreaterThan(40)
    expect(known).toEqual(expect.arrayContaining(named))
  })
})
