import { describe, expect, test } from 'vitest'
import { httpTests } from '../../support/http_tests.ts'
import { makePartner } from '../../support/partner.ts'

const { api, sql, partner } = httpTests({ config: { trustProxyHops: 1 } })
const unauthorized = { error: 'Unauthorized', message: 'Invalid or missing API key' }
const path = '/b2b/balance'

type KeySettings = { scope?: string; expires?: Date; ips?: string[]; account?: number }

async function issueKey({ scope = 'full', expires, ips, account }: KeySettings): Promise<string> {
  const [row] = await sql()`select ops.issue_key(${account ?? partner().accountId}, scope => ${scope},
    expires_at => ${expires ?? null}, allowed_ips => ${ips ?? null}::cidr[]) as key`
  return row?.key
}

describe('a request is accepted', () => {
  test('with a key of a test account', async () => {
    const tester = await makePartner(sql(), { mode: 'test' })
    expect(tester.key).toMatch(/^svc_test_[0-9a-f]{48}$/)
    expect(await api().get(path, { key: tester.key })).toMatchObject({ status: 200 })
  })

  test('with a key that has not expired yet', async () => {
    const key = await issueKey({ expires: new Date(Date.now() + 60_000) })
    expect(await api().get(path, { key })).toMatchObject({ status: 200 })
  })

  test('with its key in X-Api-Key, whose use is recorded', async () => {
    expect(await api().get(path, { key: partner().key })).toMatchObject({ status: 200 })
    await expect
      .poll(async () => {
        const [row] = await sql()`select last_used_at from ops.api_keys where key_id = ${partner().keyId}`
        return row?.last_used_at
      })
      .toBeInstanceOf(Date)
  })
})

describe('a request is refused with the same 401', () => {
  const refused = async (key: string | undefined, headers = {}) => {
    const answer = await api().get(path, { key, headers })
    expect(answer.status).toBe(401)
    expect(answer.json).toEqual(unauthorized)
    expect(answer.headers['x-ratelimit-limit']).toBeDefined()
  }

  test.each<[string, () => Record<string, string | string[]>]>([
    ['without a key', () => ({})],
    ['with an empty key', () => ({ 'x-api-key': '' })],
    ['with an unknown key', () => ({ 'x-api-key': `svc_live_${'0'.repeat(48)}` })],
    ['with another prefix', () => ({ 'x-api-key': partner().key.replace('svc_live_', 'svc_test_') })],
    ['with a key in other letter case', () => ({ 'x-api-key': partner().key.toUpperCase() })],
    ['with a malformed key', () => ({ 'x-api-key': 'letmein' })],
    ['with two keys', () => ({ 'x-api-key': [partner().key, partner().key] })],
    ['with a key in Authorization only', () => ({ authorization: `Bearer ${partner().key}` })],
  ])('%s', (_, headers) => refused(undefined, headers()))

  test('with a revoked key', async () => {
    const key = await issueKey({})
    await sql()`select ops.revoke_key((select max(key_id) from ops.api_keys))`
    await refused(key)
  })

  test('with a key past its expiry', async () => {
    const key = await issueKey({})
    const past = new Date(Date.now() - 1000)
    await sql()`select ops.set_key((select max(key_id) from ops.api_keys), ${past}, null, null)`
    await refused(key)
  })

  test('with the key of an inactive account', async () => {
    const inactive = await makePartner(sql())
    await sql()`select ops.set_account_active(${inactive.accountId}, false)`
    await refused(inactive.key)
  })
})

describe('a valid key is refused with 403', () => {
  const refused = async (key: string, message: string, headers = {}) => {
    const answer = await api().get(path, { key, headers })
    expect(answer.status).toBe(403)
    expect(answer.json).toEqual({ error: 'Forbidden', message })
    expect(answer.headers['x-ratelimit-limit']).toBeDefined()
  }

  test('if its account is a storefront', async () => {
    const storefront = await makePartner(sql(), { kind: 'storefront', balance: 0 })
    await refused(storefront.key, 'This endpoint is only available for B2B API partners')
  })

  test('if it is for public reads only', async () => {
    await refused(await issueKey({ scope: 'public' }), 'This API key is not authorized for this endpoint')
  })

  test('as a storefront key, if it is also for public reads only', async () => {
    const storefront = await makePartner(sql(), { kind: 'storefront', balance: 0 })
    const key = await issueKey({ account: storefront.accountId, scope: 'public' })
    await refused(key, 'This endpoint is only available for B2B API partners')
  })

  test('from an address outside its allowlist', async () => {
    const key = await issueKey({ ips: ['203.0.113.0/24', '2001:db8::/32'] })
    const from = (address: string) => ({ 'x-forwarded-for': address })
    await refused(key, 'This API key is not allowed from this IP address', from('198.51.100.1'))
    await refused(key, 'This API key is not allowed from this IP address')
    for (const address of ['203.0.113.77', '::ffff:203.0.113.77', '2001:db8::1']) {
      expect(await api().get(path, { key, headers: from(address) })).toMatchObject({ status: 200 })
    }
  })
})

describe('authentication comes before the route and the body', () => {
  test.each([
    ['GET', '/b2b'],
    ['GET', '/b2b/'],
    ['GET', '/b2b/no/such/thing'],
    ['DELETE', '/b2b/orders'],
    ['OPTIONS', '/b2b/orders'],
    ['POST', '/b2b/orders'],
    ['GET', '/b2b/orders/%zz'],
  ])('%s %s without a key is 401', async (method, where) => {
    expect(await api().send(method, where)).toMatchObject({ status: 401, json: unauthorized })
  })

  test('a body is not read without a key', async () => {
    const answer = await api().post('/b2b/orders', { body: 'x'.repeat(100_000), headers: { 'content-type': 'x/y' } })
    expect(answer.status).toBe(401)
  })

  test.each(['/b2b2', '/b2bx', '/B2B/orders', '/b2bx/orders', '//b2b/orders', '/%62%32%62/orders'])(
    '%s is no partner address: 404 without a key',
    async (where) => {
      expect(await api().get(where)).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } })
    },
  )
})
