import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { asOperator } from '../../../src/commands/connections.ts'
import { findCode } from '../../../src/commands/sealing.ts'
import { testDatabase } from '../../support/database.ts'
import { place } from '../../support/orders.ts'
import { makePartner } from '../../support/partner.ts'

const database = testDatabase({ catalog: true })

const roles = ['operator', 'support', 'trade', 'finance', 'analyst'] as const
type Role = (typeof roles)[number]

/** What each role may call; supply_operator may call all of it. */
const functions: { [name: string]: string } = {
  'support trade finance': `help find order_story order_history partner_orders acknowledge audit_all margins key_orders
    import_lines prices payables`,
  'support finance': 'refund_item approve reject set_spending_limit',
  'support trade': 'check_supplier sync_supplier set_supplier_paused',
  'trade finance': 'set_rate set_supplier_threshold supplier_differences discard_import',
  support: `issue_key rotate_key replace_leaked_key revoke_key set_key set_key_expiry set_key_ips set_key_origins
    set_rate_limit poll_now poll_all reroute_item reroute_all settle_item cancel_item erase_delivery_data send_item deliver_now deliver_all redeliver redeliver_all
    redeliver_orders find_code replace_code fingerprint_keys
    send_test_event webhook_secret stored_webhook_secret`,
  trade: `upsert_game upsert_product upsert_offer upsert_supplier remove_offer load_catalog set_price set_in_stock
    set_product_details set_product_text
    set_supplier_active set_supplier_limits set_supplier_sync set_max_cost set_min_margin apply_import
    upsert_price_list set_list_price set_account_list load_codes withdraw_codes set_stock_threshold`,
  finance: `create_account close_account rename_account onboard set_account_active set_low_balance_threshold deposit correct_deposit
    adjust statement month close_month`,
  operator: 'begin_recovery end_recovery release_events confirm_origin load_demo ensure_demo_key',
  owner: 'add_operator trust_supplier_host set_amount_limit set_approval',
}

const mayCall = new Map<string, Role[]>(
  Object.entries(functions).flatMap(([words, names]) =>
    names
      .split(/\s+/)
      .map((name): [string, Role[]] => [
        name,
        words === 'owner' ? [] : roles.filter((role) => role === 'operator' || words.split(' ').includes(role)),
      ]),
  ),
)

const logins = new Map<Role, { name: string; sql: postgres.Sql }>()
beforeAll(async () => {
  for (const role of roles) {
    const name = `login_${role}_${process.pid}_${randomBytes(4).toString('hex')}`
    await database.sql.unsafe(`create role ${name} login password 'secret' in role supply_${role}`)
    const url = Object.assign(new URL(database.url), { username: name, password: 'secret' }).href
    logins.set(role, { name, sql: postgres(url, { max: 1, onnotice: () => {} }) })
  }
})
afterAll(async () => {
  for (const { name, sql } of logins.values()) {
    await sql.end({ timeout: 1 })
    await database.sql.unsafe(`drop role if exists ${name}`)
  }
})

function sqlOf(role: Role): postgres.Sql {
  const login = logins.get(role)
  if (login === undefined) throw new Error(`there is no login of ${role}`)
  return login.sql
}

/** Calls a function with nulls, takes back what it did, and says whether the call was allowed. */
async function isAllowed(role: Role, call: string): Promise<boolean> {
  const sql = sqlOf(role)
  await sql`begin`
  try {
    await sql.unsafe(`select * from ${call}`)
    return true
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error
    return error.code !== '42501'
  } finally {
    await sql`rollback`
  }
}

describe('every function of operators', () => {
  test('can be called by the roles that it is for, and by no other', async () => {
    const calls = await database.sql<{ name: string; call: string }[]>`
      select p.proname::text as name, format('ops.%I(%s)', p.proname, (
        select string_agg(format('null::%s', replace(a.type::regtype::text, 'anycompatible', 'text')), ', '
          order by a.place)
        from unnest(p.proargtypes) with ordinality as a (type, place))) as call
      from pg_proc p where p.pronamespace = 'ops'::regnamespace order by 1`
    expect([...new Set(calls.map(({ name }) => name))].sort()).toEqual([...mayCall.keys()].sort())
    for (const { name, call } of calls) {
      const allowed: Role[] = []
      for (const role of roles) if (await isAllowed(role, call)) allowed.push(role)
      expect(allowed, call).toEqual(mayCall.get(name))
    }
  })

  test('stands in the help of a login if and only if the login may call it', async () => {
    for (const role of roles.filter((role) => role !== 'analyst')) {
      const rows = await sqlOf(role)<{ name: string }[]>`select name from ops.help()`
      const names = rows.map(({ name }) => name.split(/[\s(]/)[0] ?? '')
      const callable = [...mayCall].filter(([, allowed]) => allowed.includes(role)).map(([name]) => name)
      expect(names.filter((name) => mayCall.has(name)).sort(), role).toEqual(callable.sort())
      await expect(sqlOf(role)`select * from ops.help('add_operator')`).rejects.toMatchObject({ code: 'P0002' })
    }
  })
})

test('everybody but the analyst may read all views of operators', async () => {
  const views = await database.sql<{ name: string }[]>`
    select c.oid::regclass::text as name from pg_class c
    where c.relnamespace = 'ops'::regnamespace and c.relkind = 'v' order by 1`
  expect(views.length).toBeGreaterThan(20)
  for (const { name } of views) {
    const allowed: Role[] = []
    for (const role of roles) if (await isAllowed(role, `${name} limit 1`)) allowed.push(role)
    expect(allowed, name).toEqual(roles.filter((role) => role !== 'analyst'))
  }
})

test('no role of operators can become another one, the owner, or a process', async () => {
  for (const role of roles) {
    const others = ['owner', 'api', 'worker', ...roles.filter((other) => other !== role)]
    for (const other of others) {
      await expect(sqlOf(role).unsafe(`set role supply_${other}`), `${role} as ${other}`).rejects.toMatchObject({
        code: '42501',
      })
    }
  }
})

test('npm run find-code works for a login with the role support alone', async () => {
  for (const role of roles) {
    const url = Object.assign(new URL(database.url), { username: logins.get(role)?.name, password: 'secret' }).href
    const found = asOperator(url, (db) => findCode(db, undefined, 'A CODE'))
    if (mayCall.get('find_code')?.includes(role)) await expect(found, role).resolves.toEqual([])
    else await expect(found, role).rejects.toMatchObject({ code: '42501' })
  }
})

/** The tasks of a month, each one statement, as before there were roles. $account, $item, $event and $key are ids. */
const month: { [role in Exclude<Role, 'operator' | 'analyst'>]: string[] } = {
  finance: [
    `select * from ops.onboard('Acme', 50000, 'invoice 1')`,
    `select ops.deposit('Acme', 50000, 'invoice 2')`,
    `select ops.correct_deposit('Acme', 'invoice 2', 5000, 'a digit too many')`,
    `select ops.adjust('Acme', -10, 'fee 1', 'a fee')`,
    `select ops.refund_item('$item', 1, 'late 1', 'it came late')`,
    `select * from ops.statement('Acme', '2026-11')`,
    `select ops.set_low_balance_threshold('Acme', 100)`,
    `select ops.set_rate('EUR', 'RUB', 90, null)`,
    `select ops.set_account_active('Acme', false)`,
  ],
  trade: [
    `select ops.upsert_game('dragon', 'Dragon Realms')`,
    `select ops.upsert_product(900, 'dragon', '60 pearls', 89, 'RUB', 'id_only')`,
    `select ops.upsert_supplier('second', 'https://second.example', 'token')`,
    `select ops.upsert_offer(900, 'second', 'sku-60', cost => 70)`,
    `select ops.set_price(900, 95)`,
    `select ops.set_in_stock(900, false)`,
    `select ops.upsert_price_list('gold', 0.05)`,
    `select ops.set_list_price('gold', 900, 90)`,
    `select ops.set_account_list($account, 'gold')`,
    `select ops.set_min_margin(0.05, 900)`,
    `select ops.set_max_cost(900, 'second', 80)`,
    `select ops.set_rate('USD', 'RUB', 80, null)`,
    `select ops.set_supplier_paused('second', 'maintenance')`,
    `select ops.set_supplier_active('second', false)`,
    `select * from ops.margins()`,
  ],
  support: [
    `select * from ops.order_story('$item')`,
    `select * from ops.find('Space')`,
    `select ops.issue_key($account, label => 'a second shop')`,
    `select ops.set_key_origins($key, '{shop.example}')`,
    `select ops.rotate_key($key)`,
    `select ops.revoke_key($key)`,
    `select ops.set_supplier_paused('first', 'an outage')`,
    `select ops.set_supplier_paused('first', null)`,
    `select ops.poll_all('first')`,
    `select ops.deliver_all($account)`,
    `select ops.redeliver_all($account, now() - interval '1 day')`,
    `select ops.refund_item('$item', 1, 'late 2', 'it came late')`,
    `select * from ops.attention`,
    `select * from ops.audit_all()`,
  ],
}

test.each(Object.entries(month))('the tasks of a month work as %s, each as one statement', async (role, statements) => {
  const partner = await makePartner(database.sql, { name: `Partner of ${role}` })
  const { body } = await place(database.sql, partner)
  const item = body.items[0]?.id ?? ''
  await database.sql`select ops.settle_item(${item}, 'completed', reason => 'a test')`
  for (const statement of statements) {
    const filled = statement
      .replaceAll('$account', String(partner.accountId))
      .replaceAll('$key', String(partner.keyId))
      .replaceAll('$item', item)
    await expect(sqlOf(role as Role).unsafe(filled), statement).resolves.toBeDefined()
  }
  const [logged] =
    await database.sql`select count(*)::int as entries from ops.operator_log where who = ${logins.get(role as Role)?.name ?? ''}`
  expect(logged?.entries).toBeGreaterThan(5)
})
