import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { lastLogged, operatorOf, refusals, timesLogged } from '../../support/operator.ts'
import { type Visit, visit } from '../../support/sql/admission.ts'
import { oneValue } from '../../support/sql/one_value.ts'
import { undone } from '../../support/sql/transactions.ts'

const database = testDatabase()
const sql = operatorOf(database)
const { noticesOf } = sql
const day = 24 * 3600

let account: number
beforeEach(async () => {
  account = await newAccount('live')
})

const newAccount = async (mode: 'live' | 'test') =>
  Number(await oneValue(sql()`select ops.create_account('A partner', mode => ${mode})`))

/** Issues a key for the account; `more` are further arguments. */
const issue = (more = '', of = account) =>
  oneValue<string>(sql().unsafe(`select ops.issue_key(${[of, more].filter(Boolean).join(', ')})`))

/** Rotates the key with this id, by default the first one of the account; `more` are further arguments. */
async function rotate(more = '', id?: number): Promise<string> {
  const key = id ?? (await keyId())
  return oneValue(sql().unsafe(`select ops.rotate_key(${[key, more].filter(Boolean).join(', ')})`))
}

/** Has the first key of the account end so long from now. */
const expireIn = async (interval: string) =>
  sql()`select ops.set_key_expiry(${await keyId()}, now() + ${interval}::interval)`

/** The account's keys, the oldest first; `expires_in` and `starts_in` are in seconds from now. */
async function keysOf(accountId = account) {
  return [
    ...(await sql()`
      select *, key_id::int as id, extract(epoch from expires_at - now())::float as expires_in,
        extract(epoch from starts_at - now())::float as starts_in
      from ops.api_keys where account_id = ${accountId} order by key_id`),
  ]
}

const keyId = async (): Promise<number> => (await keysOf())[0]?.id

/** What the admission says about each of these requests. */
const verdicts = async (...visits: (string | Visit)[]) => {
  const answers = visits.map((each) => visit(database.sql, typeof each === 'string' ? { key: each } : each))
  return (await Promise.all(answers)).map(({ verdict }) => verdict)
}

describe('an issued key', () => {
  test('has the prefix of its account and 48 hexadecimal characters, and only its hash is stored', async () => {
    const key = await issue()
    expect(key).toMatch(/^svc_live_[0-9a-f]{48}$/)
    expect(await issue('', await newAccount('test'))).toMatch(/^svc_test_[0-9a-f]{48}$/)
    const [row] = await keysOf()
    expect(row).toMatchObject({
      ...{ prefix: 'svc_live_', last4: key.slice(-4), scope: 'full', active: true, expires_at: null },
      ...{ last_used_at: null, revoked_at: null, allowed_origins: null, allowed_ips: null, rotated_from: null },
    })
    const everything = JSON.stringify([
      await database.sql`select * from supply.api_keys`,
      await database.sql`select * from supply.operator_log`,
    ])
    expect(everything).not.toContain(key.slice('svc_live_'.length))
    expect(await verdicts(key)).toEqual(['ok'])
  })

  test('works only within its scope, expiry, origins and networks', async () => {
    const publicKey = await issue(`'public'`)
    const expired = await issue(`expires_at => now() - interval '1 second'`)
    const lasting = await issue(`expires_at => now() + interval '1 hour'`)
    const key = await issue(`allowed_origins => '{Shop.example,*.shop.example,https://b2b.example:8443}'`)
    const local = await issue(`allowed_ips => '{198.51.100.0/24,2001:db8::/32}'`)
    expect(await verdicts(publicKey, expired, lasting)).toEqual(['public_scope', 'unauthorized', 'ok'])
    const origins = ['https://shop.example:444', 'http://a.shop.example', 'https://b2b.example:8443']
    expect(await verdicts(...origins.map((origin) => ({ key, origin })))).toEqual(['ok', 'ok', 'ok'])
    expect(await verdicts({ key, origin: 'https://b2b.example' })).toEqual(['unauthorized'])
    expect(await verdicts({ key: local, client: '198.51.100.77' }, local)).toEqual(['ok', 'ip_forbidden'])
    const keys = await keysOf()
    expect(keys.map(({ active }) => active)).toEqual([true, false, true, true, true])
    expect(keys[3]?.allowed_origins).toEqual(['shop.example', '*.shop.example', 'https://b2b.example:8443'])
    expect(await lastLogged(sql())).toMatchObject({
      action: 'issue_key',
      subject: `key ${keys[4]?.id}`,
      detail: { account_id: account, scope: 'full', allowed_ips: ['198.51.100.0/24', '2001:db8::/32'] },
    })
  })
})

describe('a key', () => {
  test('is set as given, and null clears', async () => {
    const key = await issue()
    const id = await keyId()
    const set = (expiry: string | null, origins: string[] | null, ips: string[] | null) =>
      sql()`select ops.set_key(${id}, now() + ${expiry}::interval, ${origins}, ${ips}::cidr[])`
    await set('1 day', ['SHOP.example', 'HTTPS://Shop.example:443'], ['203.0.113.0/24'])
    expect((await keysOf())[0]).toMatchObject({
      ...{ allowed_origins: ['shop.example', 'https://shop.example'], allowed_ips: ['203.0.113.0/24'], active: true },
    })
    expect(await lastLogged(sql())).toMatchObject({ action: 'set_key', subject: `key ${id}` })
    await set(null, null, null)
    expect((await keysOf())[0]).toMatchObject({ allowed_origins: null, allowed_ips: null, expires_at: null })
    expect(await verdicts(key)).toEqual(['ok'])
    await set('-1 day', null, null)
    expect(await verdicts(key)).toEqual(['unauthorized'])
  })

  test('gets networks, origins and an expiry one by one, and keeps the others', async () => {
    const last4 = (await issue()).slice(-4)
    const id = await keyId()
    const named = `key ${id} (…${last4})`
    const setIps = (ips: string[] | null) => noticesOf((sql) => sql`select ops.set_key_ips(${id}, ${ips}::cidr[])`)
    expect(await setIps(['203.0.113.0/24'])).toEqual([`changed ${named}: allowed_ips none → ["203.0.113.0/24"]`])
    await sql()`select ops.set_key_origins(${id}, array['shop.example'])`
    await expireIn('1 day')
    expect((await keysOf())[0]).toMatchObject({
      ...{ allowed_ips: ['203.0.113.0/24'], allowed_origins: ['shop.example'] },
      expires_in: expect.closeTo(day, -2),
    })
    const logged = await timesLogged(sql())
    expect(await setIps(['203.0.113.0/24'])).toEqual([`${named} has these values already: nothing changed`])
    expect(await timesLogged(sql())).toBe(logged)
    await setIps(null)
    await sql()`select ops.set_key_origins(${id}, null)`
    expect((await keysOf())[0]).toMatchObject({ allowed_ips: null, allowed_origins: null })
    expect((await keysOf())[0]?.expires_at).not.toBe(null)
    await sql()`select ops.set_key_expiry(${id}, null)`
    expect((await keysOf())[0]).toMatchObject({ expires_at: null })
  })

  test('is revoked permanently, and only once', async () => {
    const key = await issue()
    const revoke = async () => sql()`select ops.revoke_key(${await keyId()})`
    await revoke()
    const [revoked] = await keysOf()
    expect(revoked).toMatchObject({ active: false, revoked_at: expect.any(Date) })
    expect(await verdicts(key)).toEqual(['unauthorized'])
    const logged = await timesLogged(sql())
    await revoke()
    expect((await keysOf())[0]?.revoked_at).toEqual(revoked?.revoked_at)
    expect(await timesLogged(sql())).toBe(logged)
  })
})

describe('a key that leaked', () => {
  const replace = (key: string) => oneValue<string>(sql()`select ops.replace_leaked_key(${key})`)

  test('is revoked at once, and its replacement has its limits', async () => {
    const old = await issue(
      `expires_at => now() + interval '90 days', allowed_ips => '{203.0.113.0/24}', label => 'shop'`,
    )
    const key = await replace(` ${old} `)
    expect(await verdicts(old, key)).toEqual(['unauthorized', 'ok'])
    const [leaked, issued] = await keysOf()
    expect(leaked).toMatchObject({ revoked_at: expect.any(Date) })
    expect(issued).toMatchObject({
      ...{ allowed_ips: ['203.0.113.0/24'], label: 'shop', expires_at: leaked?.expires_at },
      ...{ rotated_from: leaked?.key_id, last4: key.slice(-4) },
    })
    const logged = await lastLogged(sql())
    expect(logged).toMatchObject({ action: 'replace_leaked_key', detail: { new_key_id: issued?.id } })
    expect(JSON.stringify(logged)).not.toContain(key.slice(-48))
  })

  test('is reported with its account and its last use', async () => {
    const key = await issue()
    await database.sql`update supply.api_keys set last_used_at = '2026-01-02 03:04Z' where account_id = ${account}`
    const notices = await noticesOf((operator) => operator`select ops.replace_leaked_key(${key})`)
    const [leaked, issued] = await keysOf()
    expect(notices).toEqual([
      `key ${leaked?.id} (…${key.slice(-4)}) is revoked, key ${issued?.id} replaces it`,
      expect.stringMatching(
        /^the old key of account \d+ \(A partner\) worked since 20\S+ \d\d:\d\d \+00; its last request came at about 2026-01-02 03:04 \+00$/,
      ),
      expect.stringMatching(
        `^the old key placed 0 orders for .* since 20.*: select . from ops.key_orders\\(${leaked?.id}\\)$`,
      ),
    ])
  })

  test('is replaced by a key that works, also when it had expired', async () => {
    const key = await issue()
    await expireIn('-1 day')
    expect(await verdicts(await replace(key))).toEqual(['ok'])
  })

  test('is refused when it is revoked already', async () => {
    const key = await issue()
    await replace(key)
    await expect(replace(key)).rejects.toMatchObject(refusals.wrongState)
    expect(await keysOf()).toHaveLength(2)
  })
})

describe('a rotation', () => {
  test('gives a key of the same kind at once, and lets the old one work for a day more', async () => {
    account = await newAccount('test')
    const limits = `allowed_origins => '{shop.example}', allowed_ips => '{203.0.113.0/24}'`
    const first = await issue(`expires_at => now() + interval '90 days', ${limits}`)
    const [old] = await keysOf()
    const key = await rotate()
    expect(key).toMatch(/^svc_test_[0-9a-f]{48}$/)
    const [before, after] = await keysOf()
    expect(before?.expires_in).toBeCloseTo(day, -1)
    expect(after).toMatchObject({
      ...{ scope: 'full', allowed_origins: ['shop.example'], allowed_ips: ['203.0.113.0/24'] },
      ...{ expires_at: old?.expires_at, rotated_from: old?.key_id, active: true, last4: key.slice(-4) },
    })
    expect(await verdicts(first, key)).toEqual(['ok', 'ok'])
    const logged = await lastLogged(sql())
    expect(logged).toMatchObject({ action: 'rotate_key', detail: { new_key_id: after?.id } })
    expect(JSON.stringify(logged)).not.toContain(key.slice(-48))
  })

  test('keeps the prefix of the old key, although the mode of the account changed', async () => {
    await issue()
    await database.sql`update supply.accounts set mode = 'test' where id = ${account}`
    expect(await rotate()).toMatch(/^svc_live_/)
  })

  test('gives the label of the old key to the new one, and notices name both', async () => {
    const [issued] = await noticesOf(() => issue(`label => ' till 7 '`))
    const [said] = await noticesOf(() => rotate())
    const [old, next] = await keysOf()
    expect([old?.label, next?.label]).toEqual(['till 7', 'till 7'])
    expect(issued).toBe(`key ${old?.id} of account ${account} (A partner)`)
    expect(said).toMatch(`key ${next?.id} replaces key ${old?.id}, which works until 2`)
  })

  test('without overlap ends the old key at once', async () => {
    const old = await issue()
    expect(await verdicts(await rotate(`overlap => interval '0'`), old)).toEqual(['ok', 'unauthorized'])
  })

  test('can be scheduled: the new key works from then on, the old one until the overlap has passed', async () => {
    const old = await issue()
    const key = await rotate(`interval '2 hours', now() + interval '3 days'`)
    const [before, after] = await keysOf()
    expect(before?.expires_in).toBeCloseTo(3 * day + 2 * 3600, -1)
    expect(after?.starts_in).toBeCloseTo(3 * day, -1)
    expect(after).toMatchObject({ active: false, expires_at: null })
    expect(await verdicts(old, key)).toEqual(['ok', 'unauthorized'])
  })

  test('never makes the old key work longer than it would have', async () => {
    await issue()
    await expireIn('1 hour')
    await rotate()
    expect((await keysOf())[0]?.expires_in).toBeCloseTo(3600, -1)
  })

  test('is refused for a key that is revoked, has ended by then, or was rotated already', async () => {
    await issue()
    await expireIn('1 day')
    await expect(rotate(`at => now() + interval '2 days'`)).rejects.toMatchObject(refusals.wrongState)
    await rotate()
    const [old, replacement] = await keysOf()
    await expect(rotate()).rejects.toMatchObject({
      ...refusals.wrongState,
      message: `key ${old?.id} was rotated already: rotate its replacement, key ${replacement?.id}`,
    })
    await sql()`select ops.revoke_key(${replacement?.id})`
    await expect(rotate('', replacement?.id)).rejects.toMatchObject(refusals.wrongState)
    await expect(rotate()).resolves.toMatch(/^svc_live_/)
  })
})

describe('the key of the demo partner', () => {
  const demoKey = (known: string | null = null) => oneValue<string>(sql()`select ops.ensure_demo_key(${known})`)
  const accounts = () => sql()`select account_id, balance from ops.accounts where name = 'Demo partner'`

  test('is kept while it works, or else issued again', async () => {
    const key = await demoKey()
    expect(await demoKey(key)).toBe(key)
    const [row] = await accounts()
    expect(row?.balance).toBe('100000.00')
    await sql()`select ops.revoke_key(key_id) from ops.api_keys where account_id = ${row?.account_id}`
    const next = await demoKey(key)
    expect(next).not.toBe(key)
    expect(await verdicts(next)).toEqual(['ok'])
    expect(await accounts()).toHaveLength(1)
  })

  test('is never that of a live account, whatever its name', async () => {
    const mode = await undone(database.sql, async (tx) => {
      await tx`update supply.accounts set name = 'Another' where name = 'Demo partner'`
      await tx`select ops.create_account('Demo partner')`
      const key = await oneValue(tx`select ops.ensure_demo_key()`)
      return oneValue(
        tx`select mode from ops.accounts a join ops.find(${key}) f using (account_id) where f.kind = 'api_key'`,
      )
    })
    expect(mode).toBe('test')
  })

  test('comes with a signing secret, which stays', async () => {
    const secretAfter = async () => {
      await demoKey()
      return oneValue(sql()`select ops.webhook_secret(account_id) from ops.accounts where name = 'Demo partner'`)
    }
    const secret = await secretAfter()
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(await secretAfter()).toBe(secret)
  })
})
