import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Order } from '../../../src/client/index.ts'
import { testDatabase } from '../../support/database.ts'
import { type Partner, products } from '../../support/partner.ts'
import type { Answer, Send } from '../../support/service.ts'
import { startWholeService, type WholeService } from '../../support/whole_service.ts'
import { faultsOf, misfits, operationOf } from './fits.ts'
import { basic, signed, signedEvent, upstreamEvent } from './requests.ts'
import { operations } from './support.ts'

/** A running service does what it is for, and every answer is held against the document. */

const database = testDatabase()
let service: WholeService
let partner: Partner
let poor: Partner

beforeAll(async () => {
  service = await startWholeService(database, { docsPassword: 'open sesame' })
  partner = await service.partner({ mode: 'test' })
  poor = await service.partner({ balance: 5 })
  const { sql } = service
  const choice = {
    id: 'server',
    type: 'select',
    label: 'Server',
    required: false,
    options: ['Europe', 'Asia'],
  }
  await sql`select ops.upsert_game('far-away', 'Far Away', 'https://img.example/far-away.png')`
  await sql`select ops.upsert_product(200, 'far-away', 'Pearls', 7.25, 'RUB', 'voucher', ${sql.json([choice])},
    region => 'RU', amount_value => 60, max_quantity => 5)`
  await sql`select ops.upsert_offer(200, 'first', 'sku-200')`
})
afterAll(() => service.close())

const seen = new Set<string>()

/** Sends a request of the partner and holds the answer against the document. */
async function ask(method: string, path: string, send: Send = {}): Promise<Answer> {
  const answer = await service.api.send(method, path, { key: partner.key, ...send })
  expect(misfits(method, path, answer)).toEqual([])
  seen.add(`${operationOf(method, path)?.operation.operationId} ${answer.status}`)
  return answer
}
const get = (path: string, send?: Send) => ask('GET', path, send)
const post = (path: string, body?: unknown, send: Send = {}) => ask('POST', path, { body, ...send })

const topUp = { productId: products.topUp, deliveryData: { gameUserId: '12345' } }
const keys = (quantity: number) => ({ productId: products.key, quantity })
let counter = 0
const order = (items: object[], more: object = {}) => {
  counter += 1
  return { externalOrderId: `order-${counter}`, items, ...more }
}

describe('orders', () => {
  type Ended = { name: string; status: string; outcome: string; supplier: object; items: object[] }

  test.each<Ended>([
    {
      name: 'a top-up',
      status: 'completed',
      outcome: 'full',
      supplier: { status: 'completed' },
      items: [topUp],
    },
    {
      name: 'two keys',
      status: 'completed',
      outcome: 'full',
      supplier: { status: 'completed', codes: ['A', 'B'] },
      items: [keys(2)],
    },
    {
      name: 'two keys of which one came',
      status: 'failed',
      outcome: 'partial',
      supplier: { status: 'failed', codes: ['A'], errorCode: 'OUT_OF_STOCK' },
      items: [keys(2)],
    },
    {
      name: 'a refused top-up',
      status: 'failed',
      outcome: 'none',
      supplier: { status: 'failed', errorCode: 'PLAYER_NOT_FOUND' },
      items: [topUp],
    },
    {
      name: 'a top-up that failed for no known reason',
      status: 'failed',
      outcome: 'none',
      supplier: { status: 'failed' },
      items: [topUp],
    },
  ])('$name: placed, ended, read, listed and repeated', async ({ status, outcome, supplier, items }) => {
    service.supplier.setAnswer(() => ({ status: 200, json: supplier }))
    const receiver = await service.receiver(partner)
    const body = order(items, { callbackUrl: receiver.url })
    const placed = await post('/b2b/orders', body)
    expect(placed.status).toBe(201)
    const ended: Order = await service.final(partner, placed.json.data.code)
    expect(ended).toMatchObject({ status, outcome })
    const { deliveries, ...settled } = ended
    expect((await get(`/b2b/orders/${ended.code}`)).json.data).toMatchObject(settled)
    expect((await post('/b2b/orders', body)).status).toBe(200)
    expect((await get(`/b2b/orders?externalOrderId=${body.externalOrderId}`)).json.data.orders).toHaveLength(
      1,
    )

    if (outcome === 'partial') return
    const { event } = await receiver.waitFor(() => true, 60_000)
    await followed(ended.code)
    const type = `order.${status}`
    const place = ['webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema']
    expect(event?.event_type).toBe(type)
    expect(faultsOf(event, ...place)).toEqual([])
  })

  /** The order's event is delivered, told in the timeline, and sent again. */
  async function followed(code: string): Promise<void> {
    const deliveries = async () => (await get(`/b2b/orders/${code}`)).json.data.deliveries
    await expect.poll(async () => (await deliveries()).state).toBe('delivered')
    expect((await get(`/b2b/orders/${code}/timeline`)).json.data.entries.length).toBeGreaterThan(6)
    const path = `/b2b/events/${(await deliveries()).eventId}/redeliver`
    expect((await post(path)).status).toBe(202)
    expect((await post(path)).status).toBe(429)
    expect((await get(path.replace('/redeliver', ''))).json.data.orderCode).toBe(code)
  }

  test('and their events are listed, and redelivered together', async () => {
    expect((await get('/b2b/events?limit=1')).json.data.events).toHaveLength(1)
    expect((await get('/b2b/events?state=gone')).status).toBe(400)
    expect((await get(`/b2b/events/${crypto.randomUUID()}`)).status).toBe(404)
    expect((await get(`/b2b/events/${crypto.randomUUID()}?colour=red`)).status).toBe(400)
    const dead = { state: 'dead', since: '2026-01-01' }
    expect((await post('/b2b/events/redeliver', { ...dead, dryRun: true })).status).toBe(202)
    expect((await post('/b2b/events/redeliver', { state: 'dead' })).status).toBe(400)
    for (const path of ['/b2b/events/redeliver', `/b2b/events/${crypto.randomUUID()}/redeliver`]) {
      const headers = { 'content-type': 'application/json' }
      expect((await ask('POST', path, { key: partner.key, headers, body: ' '.repeat(70_000) })).status).toBe(
        413,
      )
      const text = { 'content-type': 'text/plain' }
      expect((await ask('POST', path, { key: partner.key, headers: text, body: '{}' })).status).toBe(415)
    }
    const internal = { callbackUrl: 'http://10.0.0.1/' }
    expect((await post(`/b2b/events/${crypto.randomUUID()}/redeliver`, internal)).status).toBe(400)
  })

  test('whose event is unknown, or on its way', async () => {
    expect((await get('/b2b/orders/ord_unknown/timeline')).status).toBe(404)
    expect((await post(`/b2b/events/${crypto.randomUUID()}/redeliver`)).status).toBe(404)
    service.supplier.setAnswer(() => ({ status: 200, json: { status: 'completed' } }))
    const receiver = await service.receiver(partner, { answer: '500' })
    const { code } = (await post('/b2b/orders', order([topUp], { callbackUrl: receiver.url }))).json.data
    const event = async () => (await get(`/b2b/orders/${code}`)).json.data.deliveries
    await expect.poll(async () => (await event())?.attempts).toBe(1)
    const { eventId } = await event()
    expect((await post(`/b2b/events/${eventId}/redeliver`)).status).toBe(422)
  })

  test('under way', async () => {
    service.supplier.setAnswer(() => ({ status: 202, json: { status: 'processing' } }))
    const body = order([topUp, keys(1)])
    const placed = await post('/b2b/orders', body, { headers: { 'idempotency-key': 'mine' } })
    expect(placed.json.data.status).toBe('processing')
    const replayed = await post('/b2b/orders', body, { headers: { 'x-idempotency-key': 'mine' } })
    expect(replayed).toMatchObject({ status: 200, headers: { 'idempotent-replayed': 'true' } })
  })

  test('are quoted before they are placed', async () => {
    const refused = [
      { callbackUrl: 'no' },
      { items: [{ productId: 1 }] },
      { items: [{ ...topUp, maxPrice: 1 }] },
    ]
    for (const body of [{}, ...refused]) await post('/b2b/orders/quote', { items: [topUp], ...body })
    expect((await post('/b2b/orders/quote', { items: [topUp] }, { key: poor.key })).status).toBe(200)
    for (const body of ['{}', ' '.repeat(70_000)]) await post('/b2b/orders/quote', body, json)
    await post('/b2b/orders/quote', '{}', { headers: { 'content-type': 'text/plain' } })
  })

  test('are listed by cursor and by page', async () => {
    const first = (await get('/b2b/orders?limit=1')).json.data
    expect(first.pagination.hasMore).toBe(true)
    await get(`/b2b/orders?limit=1&cursor=${first.pagination.nextCursor}`)
    expect((await get('/b2b/orders?page=2&limit=2')).json.data.pagination.total).toBeGreaterThan(2)
    await get('/b2b/orders?status=failed&createdFrom=2026-01-01&createdTo=2999-01-01T00:00:00Z')
  })

  test.each([
    ['VALIDATION_ERROR', 400, {}],
    ['VALIDATION_ERROR', 400, 'no json'],
    ['INVALID_CALLBACK_URL', 400, order([topUp], { callbackUrl: 'ftp://hooks.example' })],
    ['DELIVERY_DATA_INVALID', 400, order([{ productId: products.topUp }])],
    ['BODY_TOO_LARGE', 413, ' '.repeat(70_000)],
    ['PRODUCT_NOT_FOUND', 422, order([{ productId: 1 }])],
    ['PRODUCT_UNAVAILABLE', 422, order([{ ...topUp, productId: products.outOfStock }])],
    ['QUANTITY_OUT_OF_RANGE', 422, order([{ ...topUp, quantity: 101 }])],
    ['PRICE_CHANGED', 422, order([{ ...topUp, maxPrice: 1 }], { maxTotal: 2 })],
  ])('are refused as %s', async (code, status, body) => {
    const headers = { 'content-type': 'application/json' }
    expect(await post('/b2b/orders', body, { headers })).toMatchObject({ status, json: { code } })
  })

  test('are refused for other reasons', async () => {
    expect((await post('/b2b/orders', order([topUp]), { key: poor.key })).status).toBe(402)
    expect((await post('/b2b/orders', '{}', { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    const body = order([topUp])
    await post('/b2b/orders', body)
    expect((await post('/b2b/orders', { ...body, items: [keys(1)] })).status).toBe(409)
    expect((await get('/b2b/orders?limit=0')).status).toBe(400)
    expect((await get('/b2b/orders/ord_unknown')).status).toBe(404)
  })
})

describe('the catalog', () => {
  test.each(['/b2b/catalog/games', '/b2b/catalog/games/far-away/products', '/b2b/catalog/products/200'])(
    'has %s, and says when nothing changed',
    async (path) => {
      const answer = await get(path)
      expect(answer.status).toBe(200)
      const etag = String(answer.headers.etag)
      expect((await get(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
    },
  )

  test('is there as a whole, page by page', async () => {
    const first = await get('/b2b/catalog/products?limit=1')
    expect(first.json.data.pagination.hasMore).toBe(true)
    const headers = { 'if-none-match': String(first.headers.etag) }
    expect((await get('/b2b/catalog/products?limit=1', { headers })).status).toBe(304)
    expect((await get('/b2b/catalog/products?limit=0')).status).toBe(400)
  })

  test('has what is in and out of stock, and what changed', async () => {
    expect((await get('/b2b/catalog/games/space-trader/products')).json.data).toHaveLength(4)
    expect((await get('/b2b/catalog/games?updatedSince=2999-01-01')).json.data).toEqual([])
  })

  test('refuses', async () => {
    expect((await get('/b2b/catalog/games?updatedSince=soon')).status).toBe(400)
    expect((await get('/b2b/catalog/games/far-away/products?deliveryType=')).status).toBe(400)
    expect((await get('/b2b/catalog/games/nowhere/products')).status).toBe(404)
    expect((await get('/b2b/catalog/products/1')).status).toBe(404)
  })
})

describe('the results', () => {
  test('come by their numbers, and none where there is none', async () => {
    const { results, nextAfter } = (await get('/b2b/results?limit=100')).json.data
    expect(results.length).toBeGreaterThan(0)
    expect((await get(`/b2b/results?after=${nextAfter + 1_000}&wait=30`)).json.data.results).toEqual([])
    expect((await get('/b2b/results?wait=31')).status).toBe(400)
  })
})

test('the account and its key are described', async () => {
  expect((await get('/b2b/me')).json.data).toMatchObject({ account: { id: partner.accountId }, mode: 'test' })
  expect((await get('/b2b/me?colour=red')).status).toBe(400)
})

describe('the balance', () => {
  test('and its transactions', async () => {
    await service.sql`select ops.adjust(${partner.accountId}, -1, 'a mistake', 'a note')`
    await get('/b2b/balance')
    const { transactions } = (await get('/b2b/balance/transactions?limit=100')).json.data
    const types = new Set(transactions.map(({ type }: { type: string }) => type))
    expect(types).toEqual(new Set(['deposit', 'order_charge', 'order_refund', 'adjustment']))
    await get('/b2b/balance/transactions?limit=1&from=2026-01-01')
    const csv = await get('/b2b/balance/transactions?limit=1', { headers: { accept: 'text/csv' } })
    expect(csv.headers['x-next-cursor']).toBeDefined()
    expect((await get('/b2b/balance/transactions?limit=x')).status).toBe(400)
  })

  test('is refused where it has an unknown parameter', async () => {
    for (const path of ['catalog/products/200', 'orders/ord_1', 'orders/ord_1/timeline', 'balance']) {
      expect((await get(`/b2b/${path}?colour=red`)).status).toBe(400)
    }
    expect((await post(`/b2b/events/${crypto.randomUUID()}/redeliver?colour=red`)).status).toBe(400)
  })
})

describe('a simulated order', () => {
  const path = '/simulation/orders'

  test('is placed, followed and repeated', async () => {
    const receiver = await service.receiver(partner)
    const body = order([topUp, keys(2)], { callbackUrl: receiver.url })
    const placed = await post(path, body)
    expect(placed.status).toBe(201)
    const where = `${path}/${placed.json.data.code}`
    const state = async () => (await get(where)).json.data.deliveries?.state
    await expect.poll(state).toBe('delivered')
    expect(await post(path, body)).toMatchObject({ status: 200, json: { data: { status: 'completed' } } })
    expect((await post(path, { ...body, items: [topUp] })).status).toBe(409)
  })

  test('is refused', async () => {
    expect((await post(path, {})).status).toBe(400)
    expect((await post(path, order([{ productId: 1 }]))).status).toBe(422)
    expect((await post(path, ' '.repeat(70_000), json)).status).toBe(413)
    expect((await post(path, '', { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect((await post(path, {}, { key: poor.key })).status).toBe(403)
    expect((await get(`${path}/sim_unknown`)).status).toBe(404)
    expect((await get(`${path}/sim_unknown`, { key: poor.key })).status).toBe(403)
  })
})

describe('a simulated webhook', () => {
  const path = '/simulation/webhooks'

  test.each(['order.completed', 'order.failed'])('%s is sent and followed', async (eventType) => {
    const receiver = await service.receiver(partner)
    const sent = await post(path, { callbackUrl: receiver.url, eventType })
    expect(sent.status).toBe(202)
    const { event } = await receiver.waitFor(() => true, 60_000)
    const place = ['webhooks', eventType, 'post', 'requestBody', 'content', 'application/json', 'schema']
    expect(faultsOf(event, ...place)).toEqual([])
    const where = `${path}/${sent.json.data.eventId}`
    await expect.poll(async () => (await get(where)).json.data.state).toBe('delivered')
  })

  test('that is refused for now is tried again, and one that is refused for good is given up', async () => {
    const receiver = await service.receiver(partner, { answer: '429', retryAfter: 7 })
    const outcome = async (callbackUrl: string) => {
      const sent = await post(path, { callbackUrl, eventType: 'order.failed' })
      const where = `${path}/${sent.json.data.eventId}`
      const first = async () => (await get(where)).json.data.attempts[0]?.outcome
      await expect.poll(first).toEqual(expect.any(String))
      return first()
    }
    expect(await outcome(receiver.url)).toBe('retry')
    expect(await outcome(`${service.api.url}/there-is-nothing`)).toBe('dead')
  })

  test('is refused', async () => {
    expect((await post(path, {})).status).toBe(400)
    const aimed = { callbackUrl: 'http://10.0.0.1', eventType: 'order.failed' }
    expect((await post(path, aimed)).json.code).toBe('INVALID_CALLBACK_URL')
    expect((await post(path, ' '.repeat(70_000), json)).status).toBe(413)
    expect((await post(path, '', { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect((await post(path, {}, { key: poor.key })).status).toBe(403)
    expect((await get(`${path}/no-id`)).status).toBe(404)
    expect((await get(`${path}/no-id`, { key: poor.key })).status).toBe(403)
  })

  test('is one too many after sixty in a minute', async () => {
    const crowded = await service.partner({ mode: 'test' })
    const send = () =>
      post(path, { callbackUrl: 'http://127.0.0.1:9', eventType: 'order.failed' }, { key: crowded.key })
    await Promise.all(Array.from({ length: 60 }, send))
    expect((await send()).status).toBe(429)
  })
})

const json = { headers: { 'content-type': 'application/json' } }

describe('the results of suppliers', () => {
  const path = '/suppliers/first/results'
  const push = (body: string, type = 'application/json') =>
    ask('POST', path, {
      body,
      headers: { 'content-type': type, ...signed(body, service.supplier.token) },
    })

  test('are taken, and refused', async () => {
    service.supplier.setAnswer(() => ({ status: 202, json: { status: 'processing' } }))
    const placed = await post('/b2b/orders', order([topUp]))
    const reference = placed.json.data.items[0].id
    await service.supplier.waitForRequest((request) => request.reference === reference)
    expect((await push(JSON.stringify({ reference, status: 'completed' }))).status).toBe(204)
    expect((await push('{"status":"completed"}')).status).toBe(400)
    const unknown = { reference: crypto.randomUUID(), status: 'completed' }
    expect((await push(JSON.stringify(unknown))).status).toBe(404)
    expect((await push(' '.repeat(70_000))).status).toBe(413)
    expect((await push('{}', 'text/plain')).status).toBe(415)
  })
})

describe('events of suppliers', () => {
  const push = (body: string, type = 'application/json') =>
    ask('POST', '/suppliers/upstream/webhooks', {
      body,
      headers: { 'content-type': type, ...signedEvent(body, 'event-secret') },
    })

  test('are taken, and refused', async () => {
    await service.sql`
      select ops.upsert_supplier('upstream', 'http://127.0.0.1:9', 'token', 'b2b', push_secret => 'event-secret')`
    expect((await push(JSON.stringify(upstreamEvent('e1', crypto.randomUUID())))).status).toBe(204)
    expect((await push('{}')).status).toBe(400)
    expect((await push(' '.repeat(70_000))).status).toBe(413)
    expect((await push('{}', 'text/plain')).status).toBe(415)
  })
})

describe('the documents', () => {
  const headers = basic('open sesame')

  test('are there', async () => {
    expect((await get('/openapi.json')).json.openapi).toBe('3.1.0')
    await get(`/openapi.json?key=${partner.key}`, { key: undefined })
    await get(`/reference?key=${partner.key}`, { key: undefined })
    for (const path of ['/docs', '/docs/webhooks', '/docs/verify/verify.py']) await get(path, { headers })
    const { etag } = (await get('/docs/search.json', { headers })).headers
    const again = await get('/docs/search.json', { headers: { ...headers, 'if-none-match': String(etag) } })
    expect(again.status).toBe(304)
    expect((await get('/docs/nothing', { headers })).status).toBe(404)
    expect((await get('/docs/verify/nothing', { headers })).status).toBe(404)
  })

  test('come with what they are made of', async () => {
    const files = [
      'page.css',
      'frame.css',
      'code.css',
      'guide.css',
      'guide.js',
      'reference.css',
      'reference.js',
    ]
    for (const file of [...files, 'minisearch.js', 'icon.svg']) {
      const { status, headers } = await get(`/assets/${file}`)
      expect(status).toBe(200)
      const again = await get(`/assets/${file}`, { headers: { 'if-none-match': String(headers.etag) } })
      expect(again.status).toBe(304)
    }
    expect((await get('/assets/nothing')).status).toBe(404)
  })
})

describe('the state', () => {
  test.each(['/livez', '/readyz'])('is told by %s', async (path) => {
    expect((await get(path, { key: undefined })).status).toBe(200)
  })

  test('and where all that is, by /', async () => {
    expect((await get('/', { key: undefined })).status).toBe(200)
  })
})

describe('what is in the document', () => {
  // What any operation can answer instead has tests of its own.
  const elsewhere = ['401', '403', '405', '429', '500', '503', 'default']

  test('was seen, every answer of every operation', () => {
    const documented = operations.flatMap(({ operation }) =>
      Object.keys(operation.responses)
        .filter((status) => !elsewhere.includes(status))
        .map((status) => `${operation.operationId} ${status}`),
    )
    expect(documented.filter((one) => !seen.has(one))).toEqual([])
  })
})
