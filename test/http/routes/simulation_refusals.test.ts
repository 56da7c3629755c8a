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

const good = { callbackUrl: 'https://hooks.example/x', eventType: 'order.completed' }
const fieldsOf = (json: { details: { path: string }[] }) => json.details.map(({ path }) => path)

describe('a request for a simulated event', () => {
  test('names all wrong fields at once', async () => {
    const { status, json } = await simulate({ eventType: 'order.paid', orderCode: 'a b' })
    expect({ status, code: json.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    expect(fieldsOf(json).sort()).toEqual(['callbackUrl', 'eventType', 'orderCode'])
  })

  test('needs a callbackUrl that an order may have', async () => {
    const { status, json } = await simulate({ ...good, callbackUrl: 'http://10.0.0.1/x' })
    expect({ status, code: json.code }).toEqual({ status: 400, code: 'INVALID_CALLBACK_URL' })
    expect(fieldsOf(json)).toEqual(['callbackUrl'])
  })

  test('is refused with 429 while a hundred events of the account are open', async () => {
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
      json: { success: false, error: 'Too many samples are still open', code: 'RATE_LIMITED', retryAfter: 60 },
    })
    expect(headers['retry-after']).toBe('60')
  })

  test('is refused if the event about the order would be larger than 64 KiB', async () => {
    await makeCatalog(sql(), { url: 'http://127.0.0.1:9', token: 'token' })
    const { body: order } = await place(sql(), partner, { items: [{ productId: products.key, quantity: 40 }] })
    const codes = Array.from({ length: 40 }, (_, n) => `${n}`.padEnd(1000, 'ж'))
    for (const { id } of order.items) await answer(sql(), id, completed({ codes }))
    const { status, json } = await simulate({ ...good, orderCode: order.code })
    expect({ status, code: json.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' })
    expect(fieldsOf(json)).toEqual(['orderCode'])
  })

  test('needs a key, and a test account, before its body is read', async () => {
    const both = async (key: string | undefined) => [
      await api().post('/simulation/webhooks', { key, body: {} }),
      await api().get(`/simulation/webhooks/${crypto.randomUUID()}`, { key }),
    ]
    const live = await makePartner(sql())
    const message = 'Simulation is only available for test accounts'
    for (const { status, json } of await both(live.key)) {
      expect({ status, json }).toEqual({ status: 403, json: { error: 'Forbidden', message } })
    }
    for (const { status } of await both(undefined)) expect(status).toBe(401)
    expect((await api().get('/simulation/other')).status).toBe(401)
    expect((await api().get('/simulation/other', { key: partner.key })).status).toBe(404)
  })
})
