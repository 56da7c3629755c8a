import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { lastLogged, operatorOf, refusals, timesLogged } from '../../support/operator.ts'

const database = testDatabase()
const sql = operatorOf(database)
const { noticesOf } = sql
const day = 24 * 3600

let account: number
beforeEach(async () => {
  account = await newAccount('live')
})

async function newAccount(mode: 'live' | 'test'): Promise<number> {
  const [row] = await sql()`select ops.create_account('A partner', mode => ${mode}) as id`
  return Number(row?.id)
}

async function issue(accountId = account): Promise<string> {
  const [row] = await sql()`select ops.issue_key(${accountId}) as key`
  return row?.key
}

async function rotate(keyId: number): Promise<string> {
  const [row] = await sql()`select ops.rotate_key(${keyId}) as key`
  return row?.key
}

/** The account's keys, the oldest first; `expires_in` and `starts_in` are in seconds from now. */
async function keysOf(accountId = account) {
  return [
    ...(await sql()`
      select *, key_id::int as id, extract(epoch from expires_at - now())::float as expires_in,
        extract(epoch from starts_at - now())::float as starts_in
      from ops.api_keys where account_id = ${accountId} order by key_id`),
  ]
}

async function keyId(): Promise<number> {
  return (await keysOf())[0]?.id
}

type Visit = { client?: string; origin?: string }

/** What the admission says to a GET with the key. */
async function visit(key: string, { client = '203.0.113.9', origin }: Visit = {}): Promise<string> {
  const keyHash = createHash('sha256').update(key).digest('hex')
  const flags = { write: false, allowOrigin: false, count: false }
  const requests = [{ ordinal: 1, client, keyHash, origin: origin ?? null, ...flags }]
  const [row] = await database.sql`select verdict from api.admit(${database.sql.json(requests)}, 500)`
  return row?.verdict
}

describe('an issued key', () => {
  test('has the prefix of its account and 48 hexadecimal characters, and only its hash is stored', async () => {
    const key = await issue()
    expect(key).toMatch(/^svc_live_[0-9a-f]{48}$/)
    expect(await issue(await newAccount('test'))).toMatch(/^svc_test_[0-9a-f]{48}$/)
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
    expect(await visit(key)).toBe('ok')
  })

  test('works only within its scope, expiry, origins and networks', async () => {
    const [row] = await sql()`
      select ops.issue_key(${account}, 'public') as public,
        ops.issue_key(${account}, expires_at => now() - interval '1 second') as expired,
        ops.issue_key(${account}, expires_at => now() + interval '1 hour') as lasting,
        ops.issue_key(${account}, allowed_origins => array['Shop.example', '*.shop.example', 'https://b2b.example:8443']) as origins,
        ops.issue_key(${account}, allowed_ips => array['198.51.100.0/24', '2001:db8::/32']::cidr[]) as networks`
    expect(await visit(row?.public)).toBe('public_scope')
    expect(await visit(row?.expired)).toBe('unauthorized')
    expect(await visit(row?.lasting)).toBe('ok')
    expect(await visit(row?.origins, { origin: 'https://shop.example:444' })).toBe('ok')
    expect(await visit(row?.origins, { origin: 'http://a.shop.example' })).toBe('ok')
    expect(await visit(row?.origins, { origin: 'https://b2b.example:8443' })).toBe('ok')
    expect(await visit(row?.origins, { origin: 'https://b2b.example' })).toBe('unauthorized')
    expect(await visit(row?.networks, { client: '198.51.100.77' })).toBe('ok')
    expect(await visit(row?.networks)).toBe('ip_forbidden')
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
    await sql()`select ops.set_key(${id}, now() + interval '1 day', array['SHOP.example', 'HTTPS://Shop.example:443'], array['203.0.113.0/24']::cidr[])`
    expect((await keysOf())[0]).toMatchObject({
      allowed_origins: ['shop.example', 'https://shop.example'],
      allowed_ips: ['203.0.113.0/24'],
      active: true,
    })
    expect(await lastLogged(sql())).toMatchObject({ action: 'set_key', subject: `key ${id}` })
    await sql()`select ops.set_key(${id}, null, null, null)`
    expect((await keysOf())[0]).toMatchObject({ allowed_origins: null, allowed_ips: null, expires_at: null })
    expect(await visit(key)).toBe('ok')
    await sql()`select ops.set_key(${id}, now() - interval '1 day', null, null)`
    expect(await visit(key)).toBe('unauthorized')
  })

  test('gets networks, origins and an expiry one by one, and keeps the others', async () => {
    await issue()
    const id = await keyId()
    const last4 = (await keysOf())[0]?.last4
    const setIps = (ips: string[] | null) => noticesOf((sql) => sql`select ops.set_key_ips(${id}, ${ips}::cidr[])`)
    expect(await setIps(['203.0.113.0/24'])).toEqual([
      `changed key ${id} (…${last4}): allowed_ips none → ["203.0.113.0/24"]`,
    ])
    await sql()`select ops.set_key_origins(${id}, array['shop.example'])`
    await sql()`select ops.set_key_expiry(${id}, now() + interval '1 day')`
    expect((await keysOf())[0]).toMatchObject({
      ...{ allowed_ips: ['203.0.113.0/24'], allowed_origins: ['shop.example'] },
      expires_in: expect.closeTo(day, -2),
    })
    const logged = await timesLogged(sql())
    expect(await setIps(['203.0.113.0/24'])).toEqual([
      `key ${id} (…${last4}) has these values already: nothing changed`,
    ])
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
    const id = await keyId()
    await sql()`select ops.revoke_key(${id})`
    const [revoked] = await keysOf()
    expect(revoked).toMatchObject({ active: false, revoked_at: expect.any(Date) })
    expect(await visit(key)).toBe('unauthorized')
    const logged = await timesLogged(sql())
    await sql()`select ops.revoke_key(${id})`
    expect((await keysOf())[0]?.revoked_at).toEqual(revoked?.revoked_at)
    expect(await timesLogged(sql())).toBe(logged)
  })
})

describe('a key that leaked', () => {
  const replace = async (key: string) => {
    const [row] = await sql()`select ops.replace_leaked_key(${key}) as key`
    return row?.key
  }

  test('is revoked at once, and its replacement has its limits', async () => {
    const [row] = await sql()`
      select ops.issue_key(${account}, expires_at => now() + interval '90 days', allowed_ips => '{203.0.113.0/24}', label => 'shop') as key`
    const key = await replace(` ${row?.key} `)
    expect([await visit(row?.key), await visit(key)]).toEqual(['unauthorized', 'ok'])
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
      expect.stringMatching(/^account \d+ \(A partner\) used the old key since 20.*, last at 2026-01-02 03:04:00/),
    ])
  })

  test('is replaced by a key that works, also when it had expired', async () => {
    const key = await issue()
    await sql()`select ops.set_key_expiry(${await keyId()}, now() - interval '1 day')`
    expect(await visit(await replace(key))).toBe('ok')
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
    const testAccount = await newAccount('test')
    const [row] = await sql()`
      select ops.issue_key(${testAccount}, 'full', now() + interval '90 days', array['shop.example'], array['203.0.113.0/24']::cidr[]) as key`
    const [old] = await keysOf(testAccount)
    const key = await rotate(old?.id)
    expect(key).toMatch(/^svc_test_[0-9a-f]{48}$/)
    const [before, after] = await keysOf(testAccount)
    expect(before?.expires_in).toBeCloseTo(day, -1)
    expect(after).toMatchObject({
      ...{ scope: 'full', allowed_origins: ['shop.example'], allowed_ips: ['203.0.113.0/24'] },
      ...{ expires_at: old?.expires_at, rotated_from: old?.key_id, active: true, last4: key.slice(-4) },
    })
    expect([await visit(row?.key), await visit(key)]).toEqual(['ok', 'ok'])
    const logged = await lastLogged(sql())
    expect(logged).toMatchObject({ action: 'rotate_key', detail: { new_key_id: after?.id } })
    expect(JSON.stringify(logged)).not.toContain(key.slice(-48))
  })

  test('keeps the prefix of the old key, although the mode of the account changed', async () => {
    await issue()
    await database.sql`update supply.accounts set mode = 'test' where id = ${account}`
    expect(await rotate(await keyId())).toMatch(/^svc_live_/)
  })

  test('without overlap ends the old key at once', async () => {
    const old = await issue()
    const [row] = await sql()`select ops.rotate_key(${await keyId()}, overlap => interval '0') as key`
    expect([await visit(old), await visit(row?.key)]).toEqual(['unauthorized', 'ok'])
  })

  test('can be scheduled: the new key works from then on, the old one until the overlap has passed', async () => {
    const old = await issue()
    const [row] = await sql()`
      select ops.rotate_key(${await keyId()}, interval '2 hours', now() + interval '3 days') as key`
    const [before, after] = await keysOf()
    expect(before?.expires_in).toBeCloseTo(3 * day + 2 * 3600, -1)
    expect(after?.starts_in).toBeCloseTo(3 * day, -1)
    expect(after).toMatchObject({ active: false, expires_at: null })
    expect([await visit(old), await visit(row?.key)]).toEqual(['ok', 'unauthorized'])
  })

  test('never makes the old key work longer than it would have', async () => {
    await issue()
    const id = await keyId()
    await sql()`select ops.set_key(${id}, now() + interval '1 hour', null, null)`
    await rotate(id)
    expect((await keysOf())[0]?.expires_in).toBeCloseTo(3600, -1)
  })

  test('is refused for a key that is revoked, has ended by then, or was rotated already', async () => {
    await issue()
    const id = await keyId()
    await sql()`select ops.set_key(${id}, now() + interval '1 day', null, null)`
    await expect(sql()`select ops.rotate_key(${id}, at => now() + interval '2 days')`).rejects.toMatchObject(
      refusals.wrongState,
    )
    await rotate(id)
    const [, replacement] = await keysOf()
    await expect(rotate(id)).rejects.toMatchObject({
      ...refusals.wrongState,
      message: `key ${id} was rotated already: rotate its replacement, key ${replacement?.id}`,
    })
    await sql()`select ops.revoke_key(${replacement?.id})`
    await expect(rotate(replacement?.id)).rejects.toMatchObject(refusals.wrongState)
    await expect(rotate(id)).resolves.toMatch(/^svc_live_/)
  })
})

describe('the key of the demo partner', () => {
  test('is kept while it works, or else issued again', async () => {
    const demoKey = async (known: string | null) => {
      const [row] = await sql()`select ops.ensure_demo_key(${known}) as key`
      return row?.key
    }
    const key = await demoKey(null)
    expect(await demoKey(key)).toBe(key)
    const [row] = await sql()`select account_id, balance from ops.accounts where name = 'Demo partner'`
    expect(row?.balance).toBe('100000.00')
    await sql()`select ops.revoke_key(key_id) from ops.api_keys where account_id = ${row?.account_id}`
    const next = await demoKey(key)
    expect(next).not.toBe(key)
    expect(await visit(next)).toBe('ok')
    expect(await sql()`select from ops.accounts where name = 'Demo partner'`).toHaveLength(1)
  })

  test('is never that of a live account, whatever its name', async () => {
    const undo = new Error('undo')
    const tried = database.sql.begin(async (tx) => {
      await tx`update supply.accounts set name = 'Another' where name = 'Demo partner'`
      await tx`select ops.create_account('Demo partner')`
      const [demo] = await tx`select ops.ensure_demo_key() as key`
      const [row] = await tx`
        select a.mode from supply.accounts a where a.id = ops.account_of_key(${demo?.key})`
      expect(row?.mode).toBe('test')
      throw undo
    })
    await expect(tried).rejects.toBe(undo)
  })

  test('comes with a signing secret, which stays', async () => {
    const secretAfter = async (known: string | null) => {
      await sql()`select ops.ensure_demo_key(${known})`
      const [row] = await sql()`
        select ops.webhook_secret(account_id) as secret from ops.accounts where name = 'Demo partner'`
      return row?.secret
    }
    const secret = await secretAfter(null)
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    expect(await secretAfter(null)).toBe(secret)
  })
})
