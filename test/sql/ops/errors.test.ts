import postgres from 'postgres'
import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { makeEvent } from '../../support/events.ts'
import { operatorOf, refusals } from '../../support/operator.ts'
import { place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../../support/partner.ts'

// psql shows an operator the message and the hint.

const database = testDatabase()
const sql = operatorOf(database)
let partner: Partner
let eventId: string
let itemId: string

beforeAll(async () => {
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' })
  partner = await makePartner(database.sql)
  eventId = await makeEvent(database.sql, partner)
  itemId = (await place(database.sql, partner)).body.items[0]?.id ?? ''
  await database.sql`update supply.order_items set sent_at = now() where id = ${itemId}`
})

/** The error of a statement that must be refused. */
async function errorOf(statement: string): Promise<postgres.PostgresError> {
  const error = await sql()
    .unsafe(statement)
    .then(
      () => undefined,
      (reason: unknown) => reason,
    )
  if (error instanceof postgres.PostgresError) return error
  throw new Error(`was not refused: ${statement}`)
}

describe('a slip of an operator', () => {
  test.each([
    ['a name for an account', () => `select ops.set_account_active('nobody', false)`, /ops\.accounts/],
    ['a name for a key', () => `select ops.set_key_expiry('nobody', now())`, /ops\.api_keys/],
    ['a name for a product', () => `select ops.set_price('no such product', 5)`, /ops\.products/],
    [
      'a name that several products have',
      () => `select ops.set_in_stock('credits', false)`,
      /Give one of these/,
    ],
    ['a text for an alert', () => `select ops.acknowledge('the first', 'seen')`, /ops\.alerts/],
    ['no such account', () => `select ops.deposit(999999, 1, 'x')`, /ops\.accounts/],
    ['no such key', () => 'select ops.revoke_key(999999)', /ops\.api_keys/],
    ['no such event', () => 'select ops.redeliver(gen_random_uuid())', /ops\.events/],
    ['an event that is not dead', () => `select ops.redeliver('${eventId}')`, /deliver_now/],
    ['no such item', () => 'select ops.poll_now(gen_random_uuid())', /ops\.order_items/],
    ['no such item to settle', () => `select ops.settle_item(gen_random_uuid(), 'failed')`, /order_items/],
    [
      'an item that is still asked for',
      () => `select ops.settle_item('${itemId}', 'failed')`,
      /ops\.poll_now/,
    ],
    [
      'another scope',
      () => `select ops.issue_key(${partner.accountId}, 'admin')`,
      /ops\.help\('issue_key'\)/,
    ],
    [
      'an origin with a path',
      () => `select ops.issue_key(1, allowed_origins => '{a.example/x}')`,
      /ops\.help/,
    ],
    ['a deposit of nothing', () => `select ops.deposit(${partner.accountId}, 0, 'x')`, /ops\.adjust/],
    ['an unknown supplier', () => `select ops.set_supplier_active('nobody', true)`, /ops\.suppliers/],
    [
      'a field without id',
      () => `select ops.upsert_product(1, 'space-trader', 'P', 1, 'RUB', 'id_only', '[{}]')`,
      /./,
    ],
    ['a misspelt catalog', () => `select ops.load_catalog('{"product": []}')`, /ops\.help\('load_catalog'\)/],
    [
      'a bad price in a catalog',
      () => `select ops.load_catalog('{"games": [{"slug": "A b", "name": "A"}]}')`,
      /./,
    ],
  ] as [string, () => string, RegExp][])('(%s) gets a hint', async (_, statement, hint) => {
    const error = await errorOf(statement())
    expect(Object.values(refusals).map(({ code }) => code)).toContain(error.code)
    expect(error.hint).toMatch(hint)
  })
})

describe('every function of operators', () => {
  test('that refuses to be called with nulls says so with a hint', async () => {
    const functions = await database.sql<{ name: string; call: string }[]>`
      select p.proname as name, format('select * from ops.%I(%s)', p.proname,
        (select string_agg('null::' || format_type(t, null), ', ' order by place)
         from unnest(p.proargtypes::oid[]) with ordinality as a (t, place))) as call
      from pg_proc p where p.pronamespace = 'ops'::regnamespace`
    const silent: string[] = []
    const refused: string[] = []
    for (const { name, call } of functions) {
      const error = await sql()
        .begin(async (transaction) => {
          await transaction.unsafe(call)
          throw new Error('rolled back')
        })
        .catch((reason: unknown) => reason)
      if (!(error instanceof postgres.PostgresError)) continue
      refused.push(name)
      if (!error.hint) silent.push(`${name}: ${error.message}: ${error.where}`)
    }
    expect(silent).toEqual([])
    expect(refused.length).toBeGreaterThan(20)
  })
})
