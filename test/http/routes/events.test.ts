import { describe, expect, test } from 'vitest'
import { answered, finishAttempt, leaseAttempt, makeEvent, unreachable } from '../../support/events.ts'
import { httpTests } from '../../support/http_tests.ts'
import { makePartner } from '../../support/partner.ts'

const { sql, partner, get: read, post } = httpTests({ each: true, partner: { name: 'Acme Games', balance: 10_000 } })

const get = async (path: string, who = partner()) => (await read(path, {}, who)).json.data
const ids = (page: { events: { eventId: string }[] }) => page.events.map(({ eventId }) => eventId)

async function event(result?: object): Promise<string> {
  const id = await makeEvent(sql(), partner())
  if (result !== undefined) await finishAttempt(sql(), await leaseAttempt(sql(), id), result)
  return id
}

describe('the events of an account', () => {
  test('are listed newest first, by state, and since a moment', async () => {
    const delivered = await event(answered(200))
    const late = await event(unreachable())
    const dead = await event(answered(404))
    expect(ids(await get('/b2b/events'))).toEqual([dead, late, delivered])
    expect(ids(await get('/b2b/events?state=dead'))).toEqual([dead])
    expect(ids(await get('/b2b/events?state=waiting'))).toEqual([late])
    expect(ids(await get('/b2b/events?state=delivered'))).toEqual([delivered])
    expect(ids(await get('/b2b/events?state=held'))).toEqual([])
    await sql()`update supply.events set created_at = created_at - interval '1 day' where id = ${late}`
    const since = new Date(Date.now() - 3_600_000).toISOString()
    expect(ids(await get(`/b2b/events?since=${since}`))).toEqual([dead, delivered])
    const shown = { eventId: dead, state: 'dead', attempts: 1, lastStatus: 404, lastError: 'http_404' }
    expect(await get(`/b2b/events/${dead}`)).toMatchObject({ ...shown, eventType: 'order.completed' })
  })

  test('are read page by page while new ones are made', async () => {
    const all: string[] = []
    for (let n = 0; n < 5; n += 1) all.unshift(await event(answered(404)))
    for (const state of ['', '&state=dead']) {
      const first = await get(`/b2b/events?limit=2${state}`)
      await event(answered(404))
      const second = await get(`/b2b/events?limit=3&cursor=${first.pagination.nextCursor}${state}`)
      expect([...ids(first), ...ids(second)].slice(1)).toEqual(all.slice(state === '' ? 1 : 0, state === '' ? 5 : 4))
    }
  })

  test('are not shown to other accounts, and samples are not shown at all', async () => {
    const own = await event(answered(404))
    const other = await makePartner(sql())
    expect(await get('/b2b/events', other)).toMatchObject({ events: [], pagination: { hasMore: false } })
    expect((await read(`/b2b/events/${own}`, {}, other)).status).toBe(404)
    expect((await read(`/b2b/events?cursor=${own}`, {}, other)).status).toBe(400)
    const [sample] = await sql()`select ops.send_test_event(${partner().accountId}, 'https://shop.example/x') as id`
    expect(ids(await get('/b2b/events'))).toEqual([own])
    expect((await read(`/b2b/events/${sample?.id}`)).status).toBe(404)
  })
})

describe('all dead events of an outage', () => {
  test('are counted, and then sent again together', async () => {
    const dead = [await event(answered(404)), await event(answered(410))]
    const delivered = await event(answered(200))
    const since = '2026-01-01'
    const redeliver = (body: object) => post('/b2b/events/redeliver', { state: 'dead', since, ...body })
    expect(await redeliver({ dryRun: true })).toMatchObject({ status: 202, json: { data: { count: 2 } } })
    expect(ids(await get('/b2b/events?state=dead'))).toHaveLength(2)
    expect((await redeliver({ since: '2999-01-01' })).json.data).toEqual({ count: 0 })
    expect((await redeliver({})).json.data).toEqual({ count: 2 })
    expect(ids(await get('/b2b/events?state=waiting')).sort()).toEqual([...dead].sort())
    expect((await get(`/b2b/events/${delivered}`)).state).toBe('delivered')
    const requests = await sql()`select event_id from supply.redelivery_requests where event_id = any (${dead})`
    expect(requests).toHaveLength(2)
    expect((await redeliver({})).json.data).toEqual({ count: 0 })
  })

  test('are sent again at most once a minute, as by a single redelivery', async () => {
    const [first, second] = [await event(answered(404)), await event(answered(404))]
    const redeliver = async (body = {}) => {
      const { json } = await post('/b2b/events/redeliver', { state: 'dead', since: '2026-01-01', ...body })
      return json.data.count
    }
    expect((await post(`/b2b/events/${first}/redeliver`)).status).toBe(202)
    const die = () => sql()`
      update supply.events set state = 'dead', dead_at = now(), dead_reason = 'http_4xx', next_attempt_at = null,
        lease_expires_at = null
      where id = any (${[first, second]})`
    await die()
    expect(await redeliver({ dryRun: true })).toBe(1)
    expect(await redeliver()).toBe(1)
    await die()
    expect(await redeliver()).toBe(0)
    await sql()`
      update supply.redelivery_requests set requested_at = requested_at - interval '61 s'
      where event_id = any (${[first, second]})`
    expect(await redeliver()).toBe(2)
  })

  test('count as one of sixty redeliveries a minute', async () => {
    const redeliver = () => post('/b2b/events/redeliver', { state: 'dead', since: '2026-01-01' })
    for (let n = 0; n < 60; n += 1) expect((await redeliver()).status).toBe(202)
    const refused = await redeliver()
    expect(refused).toMatchObject({ status: 429, json: { code: 'RATE_LIMITED', retryAfter: expect.any(Number) } })
    expect(Number(refused.headers['retry-after'])).toBe(refused.json.retryAfter)
  })

  test('of another partner stay as they are', async () => {
    const dead = await event(answered(404))
    const body = { state: 'dead', since: '2026-01-01' }
    const { json } = await post('/b2b/events/redeliver', body, {}, await makePartner(sql()))
    expect(json.data).toEqual({ count: 0 })
    const [row] = await sql()`select state from supply.events where id = ${dead}`
    expect(row).toEqual({ state: 'dead' })
  })
})

test('a redelivery to another address keeps the body, and an address that is not allowed changes nothing', async () => {
  const dead = await event(answered(404))
  const row = async () => (await sql()`select state, callback_url, body from supply.events where id = ${dead}`)[0]
  const before = await row()
  const path = `/b2b/events/${dead}/redeliver`
  for (const callbackUrl of ['http://10.0.0.1/x', 'ftp://shop.example/x', 'http://localhost/x'])
    expect(await post(path, { callbackUrl })).toMatchObject({ status: 400, json: { code: 'INVALID_CALLBACK_URL' } })
  expect((await post(path, { callbackUrl: 5 })).json.code).toBe('VALIDATION_ERROR')
  expect(await row()).toEqual(before)
  expect((await post(path, { callbackUrl: 'https://shop.example/new' })).status).toBe(202)
  expect(await row()).toEqual({ ...before, state: 'ready', callback_url: 'https://shop.example/new' })
})

test('a partner reads its account, its key and its address, and no whole key', async () => {
  await sql()`select ops.set_key_ips(${partner().keyId}, '{127.0.0.0/8}')`
  const { json } = await read('/b2b/me')
  expect(json.data).toMatchObject({
    ...{ account: { name: 'Acme Games' }, mode: 'live', currency: 'RUB', address: '127.0.0.1', webhookAddresses: [] },
    key: { last4: partner().key.slice(-4), expiresAt: null, allowedOrigins: null, allowedIps: ['127.0.0.0/8'] },
    rateLimit: { limit: expect.any(Number), remaining: expect.any(Number), resetSeconds: expect.any(Number) },
  })
  expect(JSON.stringify(json)).not.toContain(partner().key)
})

test('the whole catalog is read page by page while prices change', async () => {
  const page = async (query: string) => get(`/b2b/catalog/products?${query}`)
  const all = (await page('limit=1000')).products.map(({ id }: { id: number }) => id)
  const first = await page('limit=2')
  await sql()`select ops.set_price(${all[2]}, 77)`
  const second = await page(`limit=1000&cursor=${first.pagination.nextCursor}`)
  expect([...first.products, ...second.products].map(({ id }) => id)).toEqual(all)
  expect(second.pagination).toEqual({ limit: 1000, nextCursor: null, hasMore: false })
  expect((await page('updatedSince=2999-01-01')).products).toEqual([])
})
