import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { httpTests } from '../../support/http_tests.ts'
import { leaseCalls } from '../../support/items.ts'
import { products } from '../../support/partner.ts'
import { type Answer, type TestApi, testApi } from '../../support/service.ts'
import { signedPush } from '../../support/signed.ts'
import { undone } from '../../support/sql/transactions.ts'

const { database, sql, partner, api, get, post } = httpTests({ partner: { balance: 100_000 }, token: 'push-token' })

beforeAll(async () => {
  await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:1', 'other-token')`
})

type Order = { code: string; itemId: string }
let order: Order
beforeEach(async () => {
  order = await newOrder()
})

/** An order for two keys, whose item is at the supplier. */
async function newOrder(): Promise<Order> {
  const body = { externalOrderId: crypto.randomUUID(), items: [{ productId: products.key, quantity: 2 }] }
  const { code, items } = (await post('/b2b/orders', body)).json.data
  await leaseCalls(sql(), [items[0].id])
  return { code, itemId: items[0].id }
}

type Push = { api?: TestApi; supplier?: string; token?: string; timestamp?: string; headers?: Record<string, string> }

function push(body: unknown, options: Push = {}): Promise<Answer> {
  const { supplier = 'first', token = 'push-token', headers = {} } = options
  const raw = typeof body === 'string' ? body : JSON.stringify(body)
  return (options.api ?? api()).post(`/suppliers/${supplier}/results`, {
    body: raw,
    headers: { ...signedPush(raw, token, options.timestamp), ...headers },
  })
}

const completed = () => ({ reference: order.itemId, status: 'completed', codes: ['KEY-1', 'KEY-2'] })
const read = async () => (await get(`/b2b/orders/${order.code}`)).json.data

describe('a result that a supplier pushes', () => {
  test.each(['b2b', 'kinguin'])(
    'is refused with 404 where its protocol is %s, which pushes no results',
    async (protocol) => {
      await sql()`select ops.upsert_supplier('first', 'http://127.0.0.1:1', 'push-token', ${protocol})`
      try {
        const answer = await push(completed())
        expect([answer.status, answer.json.code]).toEqual([404, 'NOT_FOUND'])
        expect(answer.headers['x-ratelimit-remaining']).toBeDefined()
        expect(await read()).toMatchObject({ status: 'processing' })
      } finally {
        await sql()`select ops.upsert_supplier('first', 'http://127.0.0.1:1', 'push-token', 'http')`
      }
    },
  )

  test('is recorded and answered with 204', async () => {
    const answer = await push(completed())
    expect(answer.status).toBe(204)
    expect(answer.text).toBe('')
    expect(answer.headers['x-request-id']).toBeDefined()
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
    const { status, items } = await read()
    expect(status).toBe('completed')
    expect(items[0].cdKeys).toEqual([{ code: 'KEY-1' }, { code: 'KEY-2' }])
  })

  test('is counted once where it ends the order, with the time since that was placed', async () => {
    const figures = async () => {
      const { registry } = api().metrics
      const all = await Promise.all(
        ['supply_orders_ended_total', 'supply_order_end_duration_seconds'].map((name) =>
          registry.getSingleMetric(name)?.get(),
        ),
      )
      return all.map((metric) => metric?.values.find(({ labels }) => labels.outcome === 'none' && !('le' in labels)))
    }
    const failed = { reference: order.itemId, status: 'failed', errorCode: 'X' }
    await push(failed)
    await push(failed)
    expect((await read()).outcome).toBe('none')
    const [count, seconds] = await figures()
    expect(count?.value).toBe(1)
    expect(seconds?.value).toBeGreaterThan(0)
  })

  test.each(['', 'junk'])('from a page of a foreign Origin is refused, also with the API key "%s"', async (key) => {
    const headers = { origin: 'https://evil.example', ...(key === '' ? {} : { 'x-api-key': key }) }
    const answer = await push(completed(), { headers })
    expect(answer.status).toBe(403)
    expect(answer.json).toEqual({ success: false, error: 'Forbidden: Origin not allowed' })
    expect((await read()).status).toBe('processing')
  })

  test('may have other white space, because its bytes are signed', async () => {
    expect((await push(`${JSON.stringify(completed(), null, 2)}\n`)).status).toBe(204)
    expect((await read()).status).toBe('completed')
  })
})

describe('a push that is not authentic is 401 and changes nothing', () => {
  test.each<[string, Push]>([
    ['signed with another token', { token: 'wrong' }],
    ['signed with another supplier’s token', { token: 'other-token' }],
    ['from an unknown supplier', { supplier: 'unknown' }],
    ['from an invalid supplier code', { supplier: '%00' }],
    ['signed more than 300 s ago', { timestamp: String(Math.floor(Date.now() / 1000) - 302) }],
    ['with an altered timestamp', { headers: { 'x-supplier-timestamp': String(Math.floor(Date.now() / 1000) - 5) } }],
    ['without a signature', { headers: { 'x-supplier-signature': '' } }],
    ['without a timestamp', { headers: { 'x-supplier-timestamp': '' } }],
  ])('%s', async (_, options) => {
    const answer = await push(completed(), options)
    expect(answer).toMatchObject({
      status: 401,
      json: { error: 'Unauthorized', message: 'Invalid or missing signature' },
    })
    expect(answer.headers['x-ratelimit-limit']).toBeDefined()
    expect((await read()).status).toBe('processing')
  })

  test('an API key does not help', async () => {
    const answer = await api().post('/suppliers/first/results', { key: partner().key, body: completed() })
    expect(answer.status).toBe(401)
  })

  test('a broken body gets 401, and not 400', async () => {
    expect((await push('{broken', { token: 'wrong' })).status).toBe(401)
  })
})

describe('an authentic push that cannot be used', () => {
  test.each([crypto.randomUUID(), 'no uuid'])('is 404 for the unknown reference %s', async (reference) => {
    const answer = await push({ ...completed(), reference })
    expect(answer).toMatchObject({ status: 404, json: { success: false, code: 'NOT_FOUND' } })
  })

  test('is 404 for an item that this supplier never had', async () => {
    const answer = await push(completed(), { supplier: 'second', token: 'other-token' })
    expect(answer.status).toBe(404)
    expect((await read()).status).toBe('processing')
  })

  test.each<[string, string | object]>([
    ['is no JSON', '{broken'],
    ['has codes that are no texts', { reference: 'x', status: 'completed', codes: [1] }],
  ])('is 400 where it %s', async (_, body) => {
    const answer = await push(body)
    expect(answer).toMatchObject({ status: 400, json: { success: false, code: 'VALIDATION_ERROR' } })
  })

  test('is 415 if its content type is not JSON, 413 if it is too large', async () => {
    expect((await push(completed(), { headers: { 'content-type': 'text/plain' } })).status).toBe(415)
    expect((await push('x'.repeat(70_000))).status).toBe(413)
  })
})

describe('a good push that is repeated too often', () => {
  const narrow = testApi(() => database.url, { config: { rateLimitPerMinute: 3, trustProxyHops: 1 } })

  test('is counted, and refused once the budget is used up', async () => {
    const pushAgain = async (times: number) => {
      const answers: Answer[] = []
      const headers = { 'x-forwarded-for': '198.51.100.77' }
      while (answers.length < times) answers.push(await push(completed(), { api: narrow(), headers }))
      return answers
    }
    await sql()`delete from supply.rate_windows where kind = 'pushes'`
    expect((await pushAgain(61)).map(({ status }) => status)).toEqual(Array(61).fill(204))
    const counted = await pushAgain(5)
    expect(counted.map(({ status }) => status)).toEqual([204, 204, 204, 429, 429])
    expect(counted.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['2', '1', '0', '0', '0'])
    expect(counted.at(-1)).toMatchObject({ json: { code: 'RATE_LIMITED' } })
    const [row] = await sql()`select count(*)::int as records, sum(repeats)::int as repeats
      from ops.supplier_attempts where item_id = ${order.itemId} and method = 'push'`
    expect(row).toEqual({ records: 1, repeats: 64 })
  })
})

test('results for locked orders are answered by 503 and delay no other request; pushed again they are recorded', async () => {
  const codes = ['KEY-1', 'KEY-2']
  const orders = await Promise.all(Array.from({ length: 30 }, newOrder))
  const placed = orders.map(({ itemId }) => itemId)
  const pushAll = () => Promise.all(placed.map((reference) => push({ reference, status: 'completed', codes })))
  await undone(sql(), async (holder) => {
    await holder`
      select from supply.orders where id in (select order_id from supply.order_items where id = any (${placed}))
      for update`
    let ended = false
    const refused = pushAll().finally(() => {
      ended = true
    })
    let most = 0
    while (!ended) {
      most = Math.max(most, api().db.usage().inUse)
      await pause(5)
    }
    expect(new Set((await refused).map(({ status }) => status))).toEqual(new Set([503]))
    // Others find a connection at any time.
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(api().db.usage().max)
    expect((await get('/b2b/balance')).status).toBe(200)
  })
  expect(new Set((await pushAll()).map(({ status }) => status))).toEqual(new Set([204]))
})
