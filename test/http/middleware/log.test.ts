import { describe, expect, test } from 'vitest'
import project from '../../../package.json' with { type: 'json' }
import { createLog, withCorrelation } from '../../../src/log.ts'
import { httpTests } from '../../support/http_tests.ts'
import { completed, answer as supplierAnswers } from '../../support/items.ts'
import { products } from '../../support/partner.ts'
import { exchangeRaw } from '../../support/service.ts'
import { signedPush } from '../../support/signed.ts'

const { api, sql, partner } = httpTests({ config: { trustProxyHops: 1 }, token: 'token-sentinel' })

const requests = () => api().records.filter(({ msg }) => msg === 'request')

describe('the access log', () => {
  test('has one record for each request, with method, route, status, time and account only', async () => {
    const before = requests().length
    const answer = await api().get('/b2b/orders?externalOrderId=y', {
      key: partner().key,
      headers: { 'x-request-id': 'my-id' },
    })
    expect(answer.status).toBe(200)
    expect(requests().slice(before)).toEqual([
      {
        level: 'info',
        time: expect.stringMatching(/^\d{4}-.*Z$/),
        pid: process.pid,
        version: project.version,
        requestId: 'my-id',
        method: 'GET',
        route: '/b2b/orders',
        status: 200,
        ms: expect.any(Number),
        account: String(partner().accountId),
        msg: 'request',
      },
    ])
  })

  test('has successful health checks at level debug only', async () => {
    const before = requests().length
    await api().get('/livez')
    await api().get('/readyz')
    await api().post('/livez')
    expect(requests().slice(before)).toMatchObject([
      { level: 'debug', route: '/livez', status: 200 },
      { level: 'debug', route: '/readyz', status: 200 },
      { level: 'info', status: 405 },
    ])
  })

  test('has no route for an unknown path, and no account for a refused request', async () => {
    await api().get('/b2b/secret-path')
    const line = requests().at(-1)
    expect(line).toMatchObject({ method: 'GET', status: 401 })
    expect(line).not.toHaveProperty('route')
    expect(line).not.toHaveProperty('account')
  })
})

test('no level of the log has anything that a client sends or receives', async () => {
  const secret = (name: string) => `sentinel-${name}`
  const key = partner().key
  const query = `?key=${secret('query')}&cursor=${secret('cursor')}&externalOrderId=${secret('filter')}`
  const headers = {
    authorization: `Bearer ${secret('bearer')}`,
    cookie: secret('cookie'),
    'user-agent': secret('agent'),
    'x-forwarded-for': '203.0.113.99',
    'x-idempotency-key': secret('idempotency'),
    'x-other': secret('header'),
  }
  const body = {
    externalOrderId: secret('order'),
    items: [{ productId: products.key, deliveryData: { gameUserId: secret('player') } }],
    callbackUrl: `https://${secret('callback')}.example/`,
  }
  const placed = await api().post('/b2b/orders', { key, headers, body })
  expect(placed.status).toBe(201)
  const { code, items } = placed.json.data
  await supplierAnswers(sql(), items[0].id, completed({ codes: [secret('cd-key')] }))
  await api().get(`/b2b/orders/${code}${query}`, { key, headers })
  await api().get(`/b2b/orders${query}`, { key, headers })
  await api().get(`/b2b/balance/transactions${query}`, { key, headers: { accept: 'text/csv' } })
  await api().get(`/${secret('path')}`, { headers })
  await api().post('/b2b/orders', { key, body: `{"${secret('broken')}` })
  await api().post('/b2b/orders', { key, body: { [secret('field')]: 1, callbackUrl: 7 } })
  await api().post('/b2b/orders', { key: secret('unknown-key'), headers: { origin: `https://${secret('origin')}` } })
  await exchangeRaw(api().port, `${secret('nonsense')}\r\n\r\n`)
  const push = JSON.stringify({ reference: items[0].id, status: 'failed', reason: secret('reason') })
  const signed = signedPush(push, 'token-sentinel')
  for (const headers of [signed, { ...signed, 'x-supplier-signature': `sha256=${secret('signature')}` }]) {
    await api().post('/suppliers/first/results', { headers, body: push })
  }
  // A bug whose message quotes what it choked on.
  await sql()`alter function api.get_order rename to get_order_kept`
  await sql()`
    create function api.get_order(account_id bigint, code text, max_codes int, with_deliveries boolean default true)
    returns table (codes int, body json) language sql security definer as
    $$ select 1, ('not a number ' || code)::int::text::json $$`
  await sql()`grant execute on function api.get_order to supply_api`
  const failed = await api().get(`/b2b/orders/${secret('quoted')}`, { key })
  expect(failed.status).toBe(500)
  expect(failed.text).not.toContain('sentinel')

  const log = JSON.stringify(api().records)
  for (const word of [
    'sentinel',
    partner().key,
    String(signed['x-supplier-signature']).slice(7),
    code,
    '203.0.113.99',
    'Bearer',
  ]) {
    expect([word, log.includes(word)]).toEqual([word, false])
  }
  expect(log).toContain('a request failed')
})

describe('a log', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  const last = () => JSON.parse(lines.at(-1) ?? '{}')

  test('writes one JSON line a record', () => {
    log.info({ a: 1 }, 'two\nlines')
    expect(lines.at(-1)).toMatch(/^\{.*\}\n$/)
    expect(last()).toMatchObject({ level: 'info', a: 1, msg: 'two\nlines' })
  })

  test('leaves out records below its level', () => {
    const before = lines.length
    log.debug('no')
    expect(lines).toHaveLength(before)
  })

  test('keeps request ids and fields of concurrent records apart', async () => {
    await Promise.all(
      ['one', 'two'].map((id) =>
        withCorrelation({ requestId: id, traceparent: null }, async () => {
          await new Promise((resolve) => setImmediate(resolve))
          log.info({ only: id }, 'first')
          log.info('second')
          expect(last()).toMatchObject({ requestId: id, msg: 'second' })
          expect(last()).not.toHaveProperty('only')
        }),
      ),
    )
    log.info('outside')
    expect(last()).not.toHaveProperty('requestId')
  })

  test('writes only the safe fields of an error', () => {
    const error = Object.assign(new Error('it broke'), { query: 'select secret', parameters: ['secret'] })
    log.error({ error }, 'failed')
    log.error(error)
    expect(lines.slice(-2).join('')).toContain('it broke')
    expect(lines.slice(-2).join('')).not.toContain('secret')
  })
})
