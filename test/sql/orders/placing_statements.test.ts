import type postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plansByKey } from '../../../src/database/connections/pool.ts'
import { testDatabase } from '../../support/database.ts'
import { orderRequest } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'
import { type Explained, explainingSession, type Statement, scansOf } from '../../support/sql/plans.ts'

// Statements and plans of admission, placing and supplying, as a session keeps them that began while the tables were empty.
const database = testDatabase()
const sql = () => database.sql
let partner: Partner
let old: Explained

beforeAll(async () => {
  await makeCatalog(sql(), { url: 'http://127.0.0.1:9', token: 'token' })
  partner = await makePartner(sql(), { balance: 1_000_000 })
  // Autovacuum would have plans made again.
  for (const table of ['orders', 'order_items', 'ledger', 'accounts', 'api_keys', 'rate_windows']) {
    await sql().unsafe(`alter table supply.${table} set (autovacuum_enabled = off)`)
  }
  await sql()`alter table graphile_worker._private_jobs set (autovacuum_enabled = off)`
  old = await explainingSession(database.url, plansByKey)
})
afterAll(() => old.end())

type Steps = { [step: string]: Statement[] }

/** What is run for so many requests that make orders and are then supplied. */
async function runOrders(
  session: Explained,
  count: number,
  request: object = {},
  who = partner,
): Promise<Steps> {
  const steps: Steps = {}
  const run = async (step: string, work: (on: postgres.Sql) => PromiseLike<postgres.Row[]>) => {
    const { statements, rows } = await session.explained(work)
    steps[step] = statements
    return rows
  }
  const ordinals = Array.from({ length: count }, (_, index) => index + 1)
  const presented = { origin: null, write: true, allowOrigin: false, count: true, keyHash: 'ab'.repeat(32) }
  const entries = ordinals.map((ordinal) => ({ ordinal, client: `192.0.2.${ordinal}`, ...presented }))
  await run('admit', (on) => on`select * from api.admit(${on.json(entries)}, 500)`)
  const requests = ordinals.map((ordinal) => ({ ...orderRequest(who, request), ordinal }))
  const placed = await run('place', (on) => on`select * from api.place_orders(${on.json(requests as never)})`)
  await run('repeat', (on) => on`select * from api.place_orders(${on.json(requests as never)})`)
  const itemIds = placed.flatMap(({ body }) => (body.items ?? []).map(({ id }: { id: string }) => id))
  const calls = await run('begin', (on) => on`select * from work.begin_calls(${itemIds}::uuid[], '{}', null)`)
  const result = { outcome: 'answered', status: 'completed', codes: [], httpStatus: 200 }
  const results = calls.map(({ ordinal, item_id, lease_token }) => ({
    ...{ ordinal, itemId: item_id, leaseToken: lease_token, result },
  }))
  await run(
    'finish',
    (on) => on`select * from work.finish_calls(${on.json(results)}, '1 day', '30 minutes', 0, null)`,
  )
  return steps
}

const counted = (steps: Steps) =>
  Object.entries(steps).map(([step, statements]) => `${step}: ${statements.length}`)

test.each([
  ['are accepted', {}],
  ['are refused', { items: [{ productId: products.outOfStock }] }],
])('sixty-four orders that %s take as many statements as two', async (_, request) => {
  await runOrders(old, 2, request)
  const two = counted(await runOrders(old, 2, request))
  expect(counted(await runOrders(old, 64, request))).toEqual(two)
})

test('sixty-four orders with events take as many statements as two', async () => {
  const withEvents = async (count: number) => {
    const fresh = await makePartner(sql(), { balance: 1_000 })
    return counted(await runOrders(old, count, { callbackUrl: 'https://hooks.example/x' }, fresh))
  }
  await withEvents(2)
  const two = await withEvents(2)
  expect(await withEvents(64)).toEqual(two)
})

test('each look-up has one index that serves it, on an empty, a small and a grown table, for old and new sessions', async () => {
  const indexesOf = async (session: Explained) => {
    const { admit = [], place = [], repeat = [] } = await runOrders(session, 8)
    const placing = [...place, ...repeat]
    return [
      scansOf(placing, 'orders'),
      scansOf(placing, 'order_items'),
      scansOf(placing, 'accounts'),
      scansOf([...admit, ...placing], 'api_keys'),
    ]
  }
  const expected = [
    ['orders_number', 'orders_pkey', 'orders_request'],
    ['order_items_order_id_position_part_key'],
    ['accounts_pkey'],
    ['api_keys_key_hash_key', 'api_keys_pkey'],
  ]
  expect(await indexesOf(old)).toEqual(expected)
  const young = await explainingSession(database.url, plansByKey)
  expect(await indexesOf(young)).toEqual(expected)
  await young.end()

  await sql()`
    insert into supply.orders
      (code, account_id, number, idempotency_key, external_order_id, request_items, total_amount, currency, payment_code)
    select 'o' || n, ${partner.accountId}, 1000000 + n, 'k' || n, 'same', '[]', 1, 'RUB', 'p' || n from generate_series(1, 20000) n`
  const late = await explainingSession(database.url, plansByKey)
  for (const analyzed of [false, true]) {
    if (analyzed) await sql()`analyze supply.orders`
    for (const session of [old, late]) {
      expect(await indexesOf(session)).toEqual(expected)
      const { place = [], repeat = [] } = await runOrders(session, 32)
      const most = Math.max(...[...place, ...repeat].map(({ rowsRead }) => rowsRead))
      expect(most, 'rows that a statement of placing read').toBeLessThanOrEqual(1100)
    }
  }
  await late.end()
})
