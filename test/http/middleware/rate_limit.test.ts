import { describe, expect, test } from 'vitest'
import { httpTests } from '../../support/http_tests.ts'
import { makePartner } from '../../support/partner.ts'
import { type Answer, batchesOf, type Send, testApi } from '../../support/service.ts'
import { signedPush } from '../../support/signed.ts'

const budget = 20
const config = { rateLimitPerMinute: budget, trustProxyHops: 1 }
const { database, api, sql, partner } = httpTests({ config, token: 'push-token' })
const otherApi = testApi(() => database.url, { config })

const path = '/b2b/balance'
const by = (address: string, more: Send = {}): Send => ({
  key: partner().key,
  ...more,
  headers: { 'x-forwarded-for': address, ...more.headers },
})
const statuses = (answers: Answer[]) => {
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return Object.fromEntries(counts)
}
const times = <T>(count: number, work: (index: number) => T) => Array.from({ length: count }, (_, i) => work(i))

/** Uses up the budget of an address. */
const exhaust = (address: string) =>
  Promise.all(times(budget + 1, () => api().get(path, by(address)))) as Promise<Answer[]>

/** How often the admission went to the database. */
const databaseCalls = () => batchesOf(api(), 'admit')

describe('within the budget', () => {
  test('each response has the rate-limit headers', async () => {
    const first = await api().get(path, by('198.51.100.1'))
    expect(first.headers).toMatchObject({ 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '19' })
    const second = await api().get(path, by('198.51.100.1'))
    expect(second.headers['x-ratelimit-remaining']).toBe('18')
    const reset = Number(second.headers['x-ratelimit-reset'])
    expect(reset).toBeGreaterThan(0)
    expect(reset).toBeLessThanOrEqual(60)
  })

  test('refused requests and unknown routes count as well', async () => {
    const of = async (where: string, send: Send) => {
      const answer = await api().get(where, by('198.51.100.2', send))
      return [answer.status, answer.headers['x-ratelimit-remaining']]
    }
    expect(await of(path, { key: 'unknown' })).toEqual([401, '19'])
    expect(await of('/b2b/nothing', {})).toEqual([404, '18'])
    expect(await of('/nothing', {})).toEqual([404, '17'])
    const deleted = await api().send('DELETE', path, by('198.51.100.2'))
    expect([deleted.status, deleted.headers['x-ratelimit-remaining']]).toEqual([405, '16'])
  })

  test('requests are counted by address, not by key', async () => {
    const other = await makePartner(sql())
    await api().get(path, by('198.51.100.3'))
    const answer = await api().get(path, by('198.51.100.3', { key: other.key }))
    expect(answer.headers['x-ratelimit-remaining']).toBe('18')
    const elsewhere = await api().get(path, by('198.51.100.4'))
    expect(elsewhere.headers['x-ratelimit-remaining']).toBe('19')
  })
})

describe('over the budget', () => {
  test('a request gets 429 with Retry-After', async () => {
    await exhaust('198.51.100.10')
    const answer = await api().get(path, by('198.51.100.10'))
    const retryAfter = Number(answer.headers['retry-after'])
    expect(retryAfter).toBeGreaterThan(0)
    expect(retryAfter).toBeLessThanOrEqual(60)
    expect(answer).toMatchObject({
      status: 429,
      headers: { 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(retryAfter) },
      json: { success: false, error: 'Too many requests', code: 'RATE_LIMITED', retryAfter },
    })
  })

  test('two processes together let exactly the budget pass', async () => {
    const answers = await Promise.all(
      times(60, (index) => (index % 2 === 0 ? api() : otherApi()).get(path, by('198.51.100.11'))),
    )
    expect(statuses(answers)).toEqual({ 200: budget, 429: 40 })
  })

  test('the limit is checked before the key, and before an order', async () => {
    await exhaust('198.51.100.12')
    expect((await api().get(path, by('198.51.100.12', { key: 'unknown' }))).status).toBe(429)
    expect((await api().post('/b2b/orders', by('198.51.100.12', { body: {} }))).status).toBe(429)
  })

  test('an address causes no database call until its window ends', async () => {
    await exhaust('198.51.100.13')
    const before = await databaseCalls()
    const answers = await Promise.all([
      ...times(30, () => api().get(path, by('198.51.100.13'))),
      ...times(5, () => api().get('/nothing', by('198.51.100.13'))),
      ...times(5, () =>
        api().post('/b2b/orders', by('198.51.100.13', { headers: { origin: 'https://evil.example' } })),
      ),
    ])
    expect(statuses(answers)).toEqual({ 429: 35, 403: 5 })
    expect(await databaseCalls()).toBe(before)
  })

  test('a whole /64 causes no database call', async () => {
    await exhaust('2001:db8:0:9::1')
    const before = await databaseCalls()
    const answer = await api().get(path, by('2001:db8:0:9::2'))
    expect(answer.status).toBe(429)
    expect(await databaseCalls()).toBe(before)
  })
})

test('when the window has ended, a new budget begins', async () => {
  await exhaust('198.51.100.20')
  await sql()`update supply.rate_windows set started_at = started_at - interval '61 s' where subject = '198.51.100.20/32'`
  // The process that refused it keeps to what it said; another one lets it in.
  const answer = await otherApi().get(path, by('198.51.100.20'))
  expect(answer).toMatchObject({ status: 200, headers: { 'x-ratelimit-remaining': '19' } })
})

test('a network can have its own budget', async () => {
  await sql()`select ops.set_rate_limit('203.0.113.0/24', 1000)`
  await sql()`select ops.set_rate_limit('203.0.113.7/32', 3)`
  const wide = await api().get(path, by('203.0.113.1'))
  expect(wide.headers).toMatchObject({ 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '999' })
  const narrow = await Promise.all(times(5, () => api().get(path, by('203.0.113.7'))))
  expect(statuses(narrow)).toEqual({ 200: 3, 429: 2 })
})

test('a raised budget takes effect at once, in each process that refused the client', async () => {
  await exhaust('203.0.114.1')
  await Promise.all(times(2, () => otherApi().get(path, by('203.0.114.1'))))
  await sql()`select ops.set_rate_limit('203.0.114.0/24', ${budget + 10})`
  for (const each of [api(), otherApi()]) {
    await expect.poll(async () => (await each.get(path, by('203.0.114.1'))).status).toBe(200)
  }
})

describe('what is not counted', () => {
  test('health checks, which are also answered over the budget', async () => {
    await exhaust('198.51.100.30')
    for (const where of ['/livez', '/readyz']) {
      const answer = await api().get(where, by('198.51.100.30'))
      expect(answer.status).toBe(200)
      expect(answer.headers['x-ratelimit-limit']).toBeUndefined()
    }
  })

  const push = (address: string, token: string, more: Send = {}) => {
    const body = JSON.stringify({ reference: crypto.randomUUID(), status: 'completed' })
    const headers = { 'x-forwarded-for': address, ...signedPush(body, token), ...more.headers }
    return api().post('/suppliers/first/results', { ...more, headers, body })
  }

  test('a push with a good signature', async () => {
    const answers = await Promise.all(times(budget + 5, () => push('198.51.100.31', 'push-token')))
    expect(statuses(answers)).toEqual({ 404: budget + 5 })
    expect(answers[0]?.headers['x-ratelimit-limit']).toBeUndefined()
    const next = await api().get(path, by('198.51.100.31'))
    expect(next.headers['x-ratelimit-remaining']).toBe('19')
  })

  test('a push from an address over its budget, which is refused', async () => {
    await exhaust('198.51.100.33')
    expect(await push('198.51.100.33', 'push-token')).toMatchObject({
      status: 429,
      headers: { 'x-ratelimit-remaining': '0', 'retry-after': expect.stringMatching(/^\d+$/) },
      json: { code: 'RATE_LIMITED' },
    })
  })

  test('no push with a bad signature: that is counted', async () => {
    const answer = await push('198.51.100.32', 'wrong')
    expect(answer).toMatchObject({ status: 401, headers: { 'x-ratelimit-remaining': '19' } })
    const answers = await Promise.all(times(budget, () => push('198.51.100.32', 'wrong')))
    expect(statuses(answers)).toEqual({ 401: 19, 429: 1 })
    expect(await push('198.51.100.32', 'wrong')).toMatchObject({ status: 429, json: { code: 'RATE_LIMITED' } })
  })
})
