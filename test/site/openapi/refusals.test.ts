import { beforeAll, describe, expect, test } from 'vitest'
import { breakFunctions, testDatabase } from '../../support/database.ts'
import { type Located, operations } from '../../support/openapi/document.ts'
import { misfits } from '../../support/openapi/fits.ts'
import { makePartner } from '../../support/partner.ts'
import { type Answer, type TestApi, testApi } from '../../support/service.ts'
import { type Credentials, requestFor, schemeOf } from './requests.ts'

/** What any operation can answer instead of its result. Each is asked for, and its answer held against the document. */

const database = testDatabase({ catalog: true })
const docsPassword = 'open sesame'
const config = { docsPassword, trustProxyHops: 1 }
const api = testApi(() => database.url, { config })
const narrow = testApi(() => database.url, { config: { ...config, rateLimitPerMinute: 1 } })
const cutOff = testApi(() => 'postgres://nobody@127.0.0.1:1/nothing', { config })

const broken = testDatabase({ catalog: true })
const failing = testApi(() => broken.url, { config })

const keys = { good: '', storefront: '', public: '', elsewhere: '' }
const credentials = (key = keys.good): Credentials => ({ ...{ key, password: docsPassword, supplierToken: 'token' } })

beforeAll(async () => {
  const { sql } = database
  const partner = await makePartner(sql, { mode: 'test' })
  const issue = async (scope: string, ips: string[] | null) => {
    const [row] = await sql`select ops.issue_key(${partner.accountId}, scope => ${scope},
      allowed_ips => ${ips}::cidr[]) as key`
    return String(row?.key)
  }
  keys.good = partner.key
  keys.storefront = (await makePartner(sql, { kind: 'storefront', balance: 0 })).key
  keys.public = await issue('public', null)
  keys.elsewhere = await issue('full', ['203.0.113.0/24'])
  await breakFunctions(broken.sql, 'api.admit', 'api.readiness', 'api.supplier_token')
})

/** Requests come from this address of a network; another one has a budget of its own. */
let client = 1

/** Sends a request for an operation, and holds the answer against the document. */
function ask(to: TestApi, located: Located, given = credentials(), headers = {}): Promise<Answer> {
  const { method, path, send } = requestFor(located, given)
  const from = { 'x-forwarded-for': `198.51.100.${client}` }
  return to.send(method, path, { ...send, headers: { ...from, ...send.headers, ...headers } })
}

const named = operations.map((located) => ({ ...located, name: located.operation.operationId }))
const answering = (status: number | string) =>
  named.filter(({ operation }) => operation.responses[status] !== undefined)
const withKey = named.filter(({ operation }) => /^apiKey/.test(schemeOf(operation) ?? ''))

describe('401', () => {
  test('is documented where credentials are asked for, and nowhere else', () => {
    const asking = named.filter(({ operation }) => schemeOf(operation) !== undefined)
    expect(answering(401)).toEqual(asking)
  })

  test.each(answering(401))('answers $name with wrong credentials', async (located) => {
    const wrong = { key: `svc_live_${'0'.repeat(48)}`, password: 'wrong', supplierToken: 'wrong' }
    const answer = await ask(api(), located, wrong)
    expect(answer.status).toBe(401)
  })
})

describe('403', () => {
  test('is documented wherever there is a key, and for every write', () => {
    const writes = named.filter(({ method }) => method === 'POST')
    expect(new Set(answering(403))).toEqual(new Set([...withKey, ...writes]))
  })

  test.each(withKey)('answers $name with a key that is not for it', async (located) => {
    for (const key of [keys.storefront, keys.public, keys.elsewhere]) {
      expect((await ask(api(), located, credentials(key))).status).toBe(403)
    }
  })

  test.each(named.filter(({ method }) => method === 'POST'))('answers $name from a foreign origin', async (located) => {
    const answer = await ask(api(), located, credentials(), { origin: 'https://x.example' })
    expect(answer).toMatchObject({ status: 403, json: { success: false } })
  })
})

describe('405', () => {
  test.each(named)('answers another method at the address of $name', async (located) => {
    const { path, send } = requestFor(located, credentials())
    const { body, ...rest } = send
    const answer = await api().send('DELETE', path, rest)
    expect(misfits(located.method, path, answer)).toEqual([])
    expect(answer.status).toBe(405)
  })
})

describe('429', () => {
  const uncounted = ['/livez', '/readyz']

  test('is documented for whatever is counted', () => {
    expect(answering(429)).toEqual(named.filter(({ path }) => !uncounted.includes(path)))
  })

  test.each(answering(429))('answers $name over the budget', async (located) => {
    client += 1
    // A good push would not be counted.
    const given = { ...credentials(), supplierToken: 'wrong' }
    await ask(narrow(), located, given)
    expect((await ask(narrow(), located, given)).status).toBe(429)
  })
})

describe('500', () => {
  test.each(answering(500))('answers $name where there is a bug', async (located) => {
    const answer = await ask(failing(), located)
    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain('broken')
  })
})

describe('503', () => {
  test('is documented for whatever needs the database', () => {
    expect(answering(503)).toEqual(named.filter(({ path }) => path !== '/livez'))
    expect(answering(500)).toEqual(answering(503))
  })

  test.each(answering(503))('answers $name while the database is away', async (located) => {
    expect((await ask(cutOff(), located)).status).toBe(503)
  })
})
