import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectWorker } from '../../src/commands/connections.ts'
import { loadConfig } from '../../src/config.ts'
import type { Database } from '../../src/database/client.ts'
import { credentialFrom } from '../../src/suppliers/credential.ts'
import type { HostRules } from '../../src/suppliers/supplier_hosts.ts'
import { createSupplierCredentials, type SupplierCredentials } from '../../src/worker/supplier_credentials.ts'
import { credentialRules } from '../support/credential_rules.ts'
import { testDatabase } from '../support/database.ts'
import { type Response, type SupplierServer, startSupplierServer } from '../support/servers/supplier_server.ts'

const database = testDatabase()
let db: Database
let server: SupplierServer
let url: string
/** What comes to the endpoint of access tokens, and how it is answered: with one token after the other. */
let asked: { authorization: string; body: string }[]
let answer: (count: number) => Response
const made: SupplierCredentials[] = []

beforeAll(async () => {
  db = connectWorker(database.url)
  server = await startSupplierServer(({ headers, rawBody }) => {
    asked.push({ authorization: headers.authorization ?? '', body: rawBody })
    return answer(asked.length)
  })
  url = `${server.url}/token`
})
beforeEach(async () => {
  asked = []
  answer = (count) => ({
    status: 200,
    json: { access_token: `access-${count}`, token_type: 'Bearer', expires_in: 3600 },
  })
  await database.sql`truncate supply.access_tokens`
  await database.sql`select ops.upsert_supplier('oauth', 'http://127.0.0.1:9', 'secret')`
})
afterEach(() => Promise.all(made.splice(0).map((one) => one.close())))
afterAll(async () => {
  await db.end()
  await server.close()
})

/** The credentials of a worker process of its own. */
function aWorker(environment: NodeJS.ProcessEnv = {}, rules: Partial<HostRules> = {}): SupplierCredentials {
  const credentials = createSupplierCredentials(
    db,
    credentialRules((credential) => credentialFrom(credential, environment), rules),
  )
  made.push(credentials)
  return credentials
}

const row = (given: object = {}) => ({
  ...{ supplier: 'oauth', base_url: 'http://127.0.0.1:9', token: 'sec ret', token_url: url, client_id: 'us & co' },
  ...given,
})
const plain = (token: string) => row({ token, token_url: null, client_id: null })

describe('the token of a supplier', () => {
  test('is in its row, or in the setting that the row names', async () => {
    const worker = aWorker({ SUPPLIER_SECRET_UP: 'from the environment' })
    expect(await worker.tokenFor(plain('secret'))).toEqual({ ok: true, token: 'secret' })
    expect(await worker.tokenFor(plain('env:SUPPLIER_SECRET_UP'))).toEqual({ ok: true, token: 'from the environment' })
    expect(await worker.tokenFor(plain('env:SUPPLIER_SECRET_OTHER'))).toEqual({
      ...{ ok: false, cause: 'settings', error: 'the environment has no SUPPLIER_SECRET_OTHER' },
    })
    expect(await worker.tokenFor(plain('env:HOME'))).toEqual({
      ok: false,
      cause: 'settings',
      error: 'env: must be followed by a name that begins with SUPPLIER_SECRET_',
    })
    expect(asked).toEqual([])
  })

  test('is changed for an access token by the client credentials grant', async () => {
    expect(await aWorker({ SUPPLIER_SECRET_S: 'sec ret' }).tokenFor(row({ token: 'env:SUPPLIER_SECRET_S' }))).toEqual({
      ...{ ok: true, token: 'access-1' },
    })
    const credentials = Buffer.from('us+%26+co:sec+ret').toString('base64')
    expect(asked).toEqual([{ authorization: `Basic ${credentials}`, body: 'grant_type=client_credentials' }])
  })
})

describe('an access token', () => {
  test('is had once for all calls of all workers', async () => {
    const workers = [aWorker(), aWorker(), aWorker()]
    const tokens = await Promise.all(workers.flatMap((one) => [one.tokenFor(row()), one.tokenFor(row())]))
    expect(new Set(tokens.map((token) => token.ok && token.token))).toEqual(new Set(['access-1']))
    expect(asked).toHaveLength(1)
  })

  test('is not readable in the database', async () => {
    await aWorker().tokenFor(row())
    const [kept] = await database.sql`select sealed from supply.access_tokens`
    expect(Buffer.from(String(kept?.sealed), 'base64').toString('latin1')).not.toContain('access-1')
  })

  test('that expires is renewed once', async () => {
    const workers = [aWorker(), aWorker()]
    await Promise.all(workers.map((one) => one.tokenFor(row())))
    await database.sql`update supply.access_tokens set expires_at = now() + interval '10 s'`
    const fresh = [aWorker(), aWorker(), aWorker()]
    const tokens = await Promise.all(fresh.map((one) => one.tokenFor(row())))
    // While one renews it, the others may go on with what is still good.
    expect(tokens.every(({ ok }) => ok)).toBe(true)
    expect(asked).toHaveLength(2)
  })

  test('that the supplier does not take is renewed once', async () => {
    const workers = [aWorker(), aWorker()]
    await Promise.all(workers.map((one) => one.tokenFor(row())))
    for (const worker of workers) worker.reject('oauth', 'access-1')
    const tokens = await Promise.all(workers.map((one) => one.tokenFor(row())))
    expect(new Set(tokens.map((token) => token.ok && token.token))).toEqual(new Set(['access-2']))
    // What was rejected long ago is nobody's token any more.
    workers[0]?.reject('oauth', 'access-1')
    await workers[0]?.tokenFor(row())
    expect(asked).toHaveLength(2)
  })

  test('of a secret that was changed is had again', async () => {
    const worker = aWorker()
    await worker.tokenFor(row())
    expect(await worker.tokenFor(row({ token: 'other' }))).toEqual({ ok: true, token: 'access-2' })
    expect(await aWorker().tokenFor(row({ token: 'other' }))).toEqual({ ok: true, token: 'access-2' })
  })

  test('that is not to be had is said so, and not asked for again by all', async () => {
    answer = () => ({ status: 401, json: { error: 'invalid_client' } })
    const tokens = await Promise.all([aWorker().tokenFor(row()), aWorker().tokenFor(row({}))])
    expect(tokens.some((token) => !token.ok && token.error === 'no access token: HTTP 401')).toBe(true)
    // The second looked again after the five seconds in which the supplier is left alone.
    expect(asked.length).toBeLessThanOrEqual(2)
  })

  test.each([
    ['is no JSON', 200, 'text'],
    ['is of another kind', 200, { access_token: 'x', token_type: 'mac' }],
    ['could not stand in a header', 200, { access_token: 'a\nb', token_type: 'bearer' }],
  ])('that %s is not used', async (_, status, json) => {
    answer = () => ({ status, json })
    expect(await aWorker().tokenFor(row())).toEqual({
      ...{ ok: false, cause: 'unreachable', error: 'no access token: the answer is unusable' },
    })
  })
})

describe('a secret of the environment', () => {
  const environment = { SUPPLIER_SECRET_ORION: 'the secret of Orion', SUPPLIER_SECRET_NOVA: 'the secret of Nova' }
  const at = (base_url: string, given: object = {}) => ({
    ...{ supplier: 'orion', base_url, token: 'env:SUPPLIER_SECRET_ORION', token_url: null, client_id: null },
    ...given,
  })
  const trouble = async (code: string) =>
    (await database.sql`select trouble from ops.suppliers where code = ${code}`)[0]?.trouble

  beforeEach(async () => {
    await database.sql`delete from supply.secret_hosts`
    for (const code of ['orion', 'spare'])
      await database.sql`select ops.upsert_supplier(${code}, 'https://api.orion.example', 'env:SUPPLIER_SECRET_ORION')`
    await database.sql`update supply.suppliers set trouble = null`
  })

  test('goes to no other host than the one that used its name first, and operators are alerted', async () => {
    const worker = aWorker(environment)
    expect(await worker.tokenFor(at('https://api.orion.example/v1'))).toMatchObject({ ok: true })
    const elsewhere = at('http://own-host.example', { supplier: 'spare' })
    const error =
      'SUPPLIER_SECRET_ORION belongs to api.orion.example:443, and own-host.example is another host: ' +
      "the owner allows it with ops.trust_supplier_host('spare')"
    expect(await worker.tokenFor(elsewhere)).toEqual({ ok: false, cause: 'settings', error })
    expect([await trouble('spare'), await trouble('orion')]).toEqual(['settings', null])
    await database.sql`select work.collect_alerts()`
    const [alert] = await database.sql`select message from ops.alerts where cause = 'supplier_settings:spare'`
    expect(alert?.message).toBe(`supplier spare is not called: ${error}`)
  })

  test.each([
    ['another port', at('https://api.orion.example:8443')],
    ['another scheme', at('http://api.orion.example')],
    [
      'another token_url',
      at('https://api.orion.example', { token_url: 'https://own-host.example/token', client_id: 'x' }),
    ],
    ['a backslash before another host', at('https://api.orion.example\\.own-host.example')],
  ])('does not go to %s either', async (_, elsewhere) => {
    const worker = aWorker(environment)
    await worker.tokenFor(at('https://api.orion.example'))
    expect(await worker.tokenFor(elsewhere)).toMatchObject({ ok: false, cause: 'settings' })
  })

  test('goes to the host that the owner trusts, and no longer to the first', async () => {
    await aWorker(environment).tokenFor(at('https://old.example'))
    await database.sql`update supply.suppliers set trouble = 'settings' where code = 'orion'`
    await database.sql`select ops.trust_supplier_host('orion')`
    expect(await trouble('orion')).toBe(null)
    const worker = aWorker(environment)
    expect(await worker.tokenFor(at('https://api.orion.example'))).toMatchObject({ ok: true })
    expect(await worker.tokenFor(at('https://old.example'))).toMatchObject({ ok: false })
  })

  test('goes to the hosts of SUPPLIER_HOST_… alone where that is set', async () => {
    const { supplierHosts } = loadConfig({
      ...{ DATABASE_URL: 'postgres://db.example/x', SUPPLIER_HOST_ORION: 'api.orion.example:8443, spare.example' },
    })
    const worker = aWorker(environment, { supplierHosts })
    const answers = await Promise.all(
      [
        'https://api.orion.example:8443/v1',
        'https://spare.example:9',
        'https://api.orion.example',
        'https://own-host.example',
      ].map((base_url) => worker.tokenFor(at(base_url))),
    )
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, false, false])
    expect(answers[3]).toMatchObject({
      error:
        'SUPPLIER_SECRET_ORION goes only to the hosts of SUPPLIER_HOST_ORION, and own-host.example is none of them',
    })
    expect(
      await worker.tokenFor(at('https://spare.example', { token_url: 'https://own-host.example/t', client_id: 'x' })),
    ).toMatchObject({ ok: false, cause: 'settings' })
  })

  test('goes over https in production, unless SUPPLIER_HOST_… names the host', async () => {
    const worker = aWorker(environment, { production: true })
    expect(await worker.tokenFor(at('http://api.orion.example'))).toEqual({
      ...{ ok: false, cause: 'settings' },
      error:
        'http://api.orion.example is no https address, which NODE_ENV=production requires of a supplier, unless ' +
        'SUPPLIER_HOST_ORION names its host',
    })
    const named = aWorker(environment, { production: true, supplierHosts: () => ['inside.example'] })
    expect(await named.tokenFor(at('http://inside.example'))).toMatchObject({ ok: true })
    expect(await worker.tokenFor(at('http://x.example', { token: 'plain' }))).toMatchObject({ ok: false })
  })

  test.each([
    'http://169.254.169.254/latest',
    'http://[fe80::1]',
    'http://metadata.google.internal',
    'http://0xa9fea9fe',
  ])('never goes to %s', async (base_url) => {
    const named = aWorker(environment, { supplierHosts: () => ['169.254.169.254', '[fe80::1]'] })
    expect(await named.tokenFor(at(base_url))).toMatchObject({ ok: false, cause: 'settings' })
  })
})
