import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { answer, completed } from '../../support/items.ts'
import { place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'
import { testApi, withoutRequestId } from '../../support/service.ts'

const database = testDatabase()
const sql = () => database.sql
const api = testApi(() => database.url)
let partner: Partner

beforeAll(async () => {
  partner = await makePartner(sql(), { mode: 'test' })
})

const simulate = (body: unknown, key = partner.key) => api().post('/simulation/webhooks', { key, body })

describe('a request is refused', () => {
  const good = { callbackUrl: 'https://hooks.example/x', eventType: 'order.completed' }
  const fieldsOf = (json: { details: { path: string }[] }) => json.details.map(({ path }) => path)

  test('with every field at fault named', async () => {
    const { status, json } = await simulate({ eventType: 'order.paid', orderCode: 'a b' })
    expect({ status, code: json.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    expect(fieldsOf(json).sort()).toEqual(['callbackUrl', 'eventType', 'orderCode'])
  })

  test.each([
    ['callbackUrl', { ...good, callbackUrl: 7 }],
    ['callbackUrl', { ...good, callbackUrl: null }],
    ['eventType', { callbackUrl: good.callbackUrl }],
    ['orderCode', { ...good, orderCode: 'a'.repeat(65) }],
    ['orderCode', { ...good, orderCode: '' }],
  ])('with a wrong %s', async (path, body) => {
    const { status, json } = await simulate(body)
    expect({ status, code: json.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    expect(fieldsOf(json)).toContain(path)
  })

  test.each([
    'ftp://hooks.example/x',
    'https://user:pw@hooks.example/x',
    'http://10.0.0.1/x',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/x',
    'http://localhost/x',
    'http://printer.local/',
    'not a URL',
    'https://hooks.example/\u0000',
  ])('with the callback URL %s, as for an order', async (callbackUrl) => {
    const { status, json } = await simulate({ ...good, callbackUrl })
    expect({ status, code: json.code }).toEqual({ status: 400, code: 'INVALID_CALLBACK_URL' })
    expect(fieldsOf(json)).toEqual(['callbackUrl'])
  })

  test('when it is no JSON', async () => {
    expect(await simulate('{')).toMatchObject({ status: 400, json: { code: 'VALIDATION_ERROR' } })
    const typed = { key: partner.key, body: '{}', headers: { 'content-type': 'text/plain' } }
    expect(await api().post('/simulation/webhooks', typed)).toMatchObject({ status: 415 })
  })

  test('with another method', async () => {
    const answer = await api().get('/simulation/webhooks', { key: partner.key })
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST' } })
  })

  test('when a hundred samples of the account are open', async () => {
    const crowded = await makePartner(sql(), { mode: 'test' })
    await sql()`insert into supply.events (account_id, order_code, event_type, callback_url, body, simulated, next_attempt_at)
      select ${crowded.accountId}, 'x', 'order.completed', 'http://127.0.0.1:9/', '{}', true, now() + interval '1 hour'
      from generate_series(1, 99)`
    await sql()`update supply.events set created_at = now() - interval '1 hour' where account_id = ${crowded.accountId}`
    const body = { ...good, callbackUrl: 'http://127.0.0.1:9/' }
    expect((await simulate(body, crowded.key)).status).toBe(202)
    const { status, headers, json } = await simulate(body, crowded.key)
    expect({ status, json: withoutRequestId(json) }).toEqual({
      status: 429,
      json: {
        success: false,
        error: 'Too many samples are still open',
        code: 'RATE_LIMITED',
        retryAfter: 60,
      },
    })
    expect(headers['retry-after']).toBe('60')
  })

  test('when the account has sent sixty samples within a minute', async () => {
    const busy = await makePartner(sql(), { mode: 'test' })
    await sql()`insert into supply.events
        (account_id, order_code, event_type, callback_url, body, simulated, state, next_attempt_at, delivered_at)
      select ${busy.accountId}, 'x', 'order.completed', 'http://127.0.0.1:9/', '{}', true, 'delivered', null, now()
      from generate_series(1, 59)`
    const body = { ...good, callbackUrl: 'http://127.0.0.1:9/' }
    expect((await simulate(body, busy.key)).status).toBe(202)
    const { status, headers, json } = await simulate(body, busy.key)
    expect({ status, json: withoutRequestId(json) }).toEqual({
      status: 429,
      json: {
        success: false,
        error: 'Too many samples in one minute',
        code: 'RATE_LIMITED',
        retryAfter: Number(headers['retry-after']),
      },
    })
    expect(json.retryAfter).toBeGreaterThanOrEqual(1)
    expect(json.retryAfter).toBeLessThanOrEqual(60)
  })

  test('when the event about the order would be larger than 64 KiB', async () => {
    await makeCatalog(sql(), { url: 'http://127.0.0.1:9', token: 'token' })
    const { body: order } = await place(sql(), partner, {
      items: [{ productId: products.key, quantity: 40 }],
    })
    const codes = Array.from({ length: 40 }, (_, n) => `${n}`.padEnd(1000, 'ж'))
    for (const { id } of order.items) await answer(sql(), id, completed({ codes }))
    const { status, json } = await simulate({ ...good, orderCode: order.code })
    expect({ status, code: json.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    expect(fieldsOf(json)).toEqual(['orderCode'])
  })
})

describe('the admission', () => {
  const body = { callbackUrl: 'https://hooks.example/x', eventType: 'order.completed' }
  const forbidden = (message: string) => ({ status: 403, json: { error: 'Forbidden', message } })
  const both = async (key: string | undefined) => [
    await api().post('/simulation/webhooks', { key, body }),
    await api().get(`/simulation/webhooks/${crypto.randomUUID()}`, { key }),
  ]

  test('is closed without a valid key, also where there is no route', async () => {
    const unauthorized = {
      status: 401,
      json: { error: 'Unauthorized', message: 'Invalid or missing API key' },
    }
    for (const answer of [...(await both(undefined)), ...(await both('nonsense'))]) {
      expect(answer).toMatchObject(unauthorized)
    }
    expect(await api().get('/simulation')).toMatchObject(unauthorized)
    expect(await api().get('/simulation/other')).toMatchObject(unauthorized)
    expect(await api().get('/simulation/other', { key: partner.key })).toMatchObject({ status: 404 })
  })

  test('is closed to live accounts', async () => {
    const live = await makePartner(sql())
    for (const { status, json } of await both(live.key)) {
      expect({ status, json }).toEqual(forbidden('Simulation is only available for test accounts'))
    }
    // What is wrong with the body is not looked at.
    expect((await simulate({}, live.key)).status).toBe(403)
  })

  test('is closed to storefront accounts and keys for public reads', async () => {
    const storefront = await makePartner(sql(), { kind: 'storefront', mode: 'test' })
    for (const answer of await both(storefront.key)) {
      expect(answer).toMatchObject(forbidden('This endpoint is only available for B2B API partners'))
    }
    const [row] = await sql()`select ops.issue_key(${partner.accountId}, 'public') as key`
    for (const answer of await both(row?.key)) {
      expect(answer).toMatchObject(forbidden('This API key is not authorized for this endpoint'))
    }
  })

  test('counts requests against the rate limit', async () => {
    const { headers } = await simulate({})
    expect(headers).toMatchObject({
      'x-ratelimit-limit': expect.any(String),
      'x-ratelimit-remaining': expect.any(String),
    })
  })
})
