import { beforeAll, describe, expect, test } from 'vitest'
import { httpTests } from '../../support/http_tests.ts'
import { makePartner, products } from '../../support/partner.ts'
import { batchesOf, type Send } from '../../support/service.ts'

const { api, sql, partner } = httpTests({
  config: { allowedOrigins: ['ours.example', '*.ours.example'], rateLimitPerMinute: 10, trustProxyHops: 1 },
})

let boundKey: string
beforeAll(async () => {
  const [row] = await sql()`
    select ops.issue_key(${partner().accountId}, allowed_origins => array['shop.example']) as key`
  boundKey = row?.key
})

let counter = 0
const next = () => {
  counter += 1
  return counter
}
const forbidden = { success: false, error: 'Forbidden: Origin not allowed' }
const from = (origin: string, send: Send = {}): Send => ({
  ...send,
  headers: { origin, 'x-forwarded-for': `192.0.2.${next()}`, ...send.headers },
})
const order = () => ({
  externalOrderId: `order-${next()}`,
  items: [{ productId: products.topUp, deliveryData: { gameUserId: '1' } }],
})

/** Places an order from a page of that origin. */
const write = (origin: string, key: string | undefined, headers = {}) =>
  api().post('/b2b/orders', from(origin, { key, body: order(), headers }))

describe('a write', () => {
  test('without an Origin passes', async () => {
    expect((await api().post('/b2b/orders', { key: partner().key, body: order() })).status).toBe(201)
  })

  test('from an origin in ALLOWED_ORIGINS, or in the allowlist of the key, passes', async () => {
    expect((await write('https://www.ours.example', partner().key)).status).toBe(201)
    expect((await write('https://shop.example', boundKey)).status).toBe(201)
  })

  test.each(['https://evil.example', 'https://shop.example.evil', 'null', 'not an origin'])(
    'from %s is 403, in its own envelope and without rate-limit headers',
    async (origin) => {
      for (const key of [undefined, 'unknown', partner().key, boundKey]) {
        const answer = await write(origin, key)
        expect(answer.status).toBe(403)
        expect(answer.json).toEqual(forbidden)
        expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
        expect(answer.headers['x-request-id']).toBeDefined()
      }
    },
  )

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('is every %s on every path', async (method) => {
    for (const path of ['/b2b/orders', '/b2b/nothing', '/nothing', '/suppliers/first/results', '/livez']) {
      const answer = await api().send(method, path, from('https://evil.example'))
      expect([path, answer.status, answer.json]).toEqual([path, 403, forbidden])
    }
  })

  test('from the reference’s own page passes for simulated orders, and for no real one', async () => {
    const { key } = await makePartner(sql(), { mode: 'test' })
    const headers = { 'sec-fetch-site': 'same-origin' }
    const send = (path: string) => api().post(path, from('https://unknown.example', { key, body: order(), headers }))
    expect((await send('/simulation/orders')).status).toBe(201)
    expect(await send('/b2b/orders')).toMatchObject({ status: 403, json: forbidden })
    const foreign = { key, body: order(), headers: { 'sec-fetch-site': 'cross-site' } }
    expect(await api().post('/simulation/orders', from('https://unknown.example', foreign))).toMatchObject({
      status: 403,
      json: forbidden,
    })
  })

  test('from an origin in ALLOWED_ORIGINS but outside the allowlist of the key is a 401', async () => {
    const answer = await write('https://ours.example', boundKey)
    expect(answer).toMatchObject({ status: 401, json: { error: 'Unauthorized' } })
    expect(answer.headers['x-ratelimit-limit']).toBe('10')
  })

  test('over the budget is 429 if a recently used key allows its origin, else 403', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.2' }
    await Promise.all(Array.from({ length: 11 }, () => api().get('/b2b/balance', { key: boundKey, headers })))
    for (const allowed of ['https://shop.example', 'https://ours.example']) {
      const answer = await write(allowed, boundKey, headers)
      expect(answer).toMatchObject({ status: 429, json: { code: 'RATE_LIMITED' } })
      expect(answer.headers['retry-after']).toBeDefined()
    }
    for (const [origin, key] of [
      ['https://evil.example', boundKey],
      ['https://shop.example', partner().key],
      ['https://shop.example', 'unknown'],
    ] as const) {
      expect(await write(origin, key, headers)).toMatchObject({ status: 403, json: forbidden })
    }
  })
})

describe('a foreign Origin', () => {
  const callsOf = async (work: () => Promise<unknown>) => {
    const calls = () => Promise.all(['admit', 'admit_foreign'].map((batch) => batchesOf(api(), batch)))
    const before = await calls()
    await work()
    const after = await calls()
    return after.map((count, index) => count - (before[index] ?? 0))
  }

  test.each([
    ['longer than 300 characters', `https://${'a'.repeat(290)}.shop.example`],
    ['of 14 KB', `https://${'a.'.repeat(7_000)}shop.example`],
    ['that is none', 'null'],
  ])('a write with one %s costs the database nothing', async (_, origin) => {
    const calls = await callsOf(async () => {
      const answer = await write(origin, boundKey)
      expect([answer.status, answer.json]).toEqual([403, forbidden])
    })
    expect(calls).toEqual([0, 0])
  })

  test('a read with one of 14 KB is a 401 where the key has a list, and counted', async () => {
    const origin = `https://${'a.'.repeat(7_000)}shop.example`
    const bound = await api().get('/b2b/balance', from(origin, { key: boundKey }))
    expect([bound.status, bound.headers['x-ratelimit-remaining']]).toEqual([401, '9'])
    const free = await api().get('/b2b/balance', from(origin, { key: partner().key }))
    expect(free.status).toBe(200)
  })

  test('writes from foreign origins share no call with counted requests', async () => {
    const [admit = 0, foreign = 0] = await callsOf(() =>
      Promise.all(
        Array.from({ length: 100 }, () => api().post('/b2b/orders', from('https://evil.example', { key: boundKey }))),
      ),
    )
    expect(admit).toBe(0)
    expect(foreign).toBeGreaterThan(0)
  })
})

describe('a read', () => {
  test('from any origin passes with a key without a list', async () => {
    const answer = await api().get('/b2b/balance', from('https://evil.example', { key: partner().key }))
    expect(answer.status).toBe(200)
  })

  test.each(['GET', 'HEAD', 'OPTIONS'])('%s from outside the key’s list is a 401', async (method) => {
    const answer = await api().send(method, '/b2b/balance', from('https://ours.example', { key: boundKey }))
    expect(answer.status).toBe(401)
    expect(answer.headers['x-ratelimit-limit']).toBe('10')
  })
})

test('no response has CORS headers', async () => {
  const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' }
  const answers = [
    await api().send(
      'OPTIONS',
      '/b2b/orders',
      from('https://ours.example', { key: partner().key, headers: preflight }),
    ),
    await api().get('/b2b/balance', from('https://ours.example', { key: partner().key })),
    await write('https://ours.example', partner().key),
  ]
  expect(answers.map(({ status }) => status)).toEqual([405, 200, 201])
  for (const { headers } of answers) {
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  }
})
