import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plansByKey } from '../../../src/database/connections/pool.ts'
import { fillOrders } from '../../bench/fill.ts'
import { testDatabase } from '../../support/database.ts'
import { completed, failed, processing, unknown } from '../../support/items.ts'
import { orderRequest } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'
import { type Explained, explainingSession, type Statement } from '../../support/sql/plans.ts'

// What the statements of a call to a supplier read: by a session that keeps the plans of the empty tables, and by new
// ones, while the tables grow, are not analysed, and are.
const database = testDatabase()
const sql = () => database.sql
const filled = 6000
const atOnce = 8
let partner: Partner
let oldest: Explained
let old: Explained
let growing: postgres.Sql

beforeAll(async () => {
  await makeCatalog(sql(), { url: 'http://127.0.0.1:9', token: 'token', code: 'bench' })
  partner = await makePartner(sql(), { balance: 1_000_000 })
  // Autovacuum would have plans made again.
  const tables = await sql()`
    select c.oid::regclass::text as name from pg_class c
    where c.relkind = 'r' and c.relnamespace in ('supply'::regnamespace, 'graphile_worker'::regnamespace)`
  for (const { name } of tables) await sql().unsafe(`alter table ${name} set (autovacuum_enabled = off)`)
  growing = postgres(database.url, { max: 1 })
  // A session's first temporary table may add a schema, which has all sessions make their plans again.
  await growing`create temp table first ()`
  await growing`select setval(pg_get_serial_sequence('supply.orders', 'id'), 1000000)`
  // To the planner, a table that was empty when it was analysed is one page permanently.
  await sql()`vacuum analyze`
  oldest = await explainingSession(database.url, plansByKey)
  await mostRead(oldest)
  // A plan that is made for a page or two is the one that would scan them.
  await inNewSession(async (first) => {
    for (let n = 0; n < 3; n += 1) await runCalls(first, completed(), { keep: true })
  })
  old = await explainingSession(database.url, plansByKey)
})
afterAll(() => Promise.all([oldest.end(), old.end(), growing.end({ timeout: 1 })]))

const results = { completed: completed(), refunded: failed(), polled: processing(), unknown: unknown() }

/** What the calls of new items run that end so. Unless it is kept, all of it is taken back. */
async function runCalls(session: Explained, result: object, { keep = false } = {}): Promise<Statement[]> {
  const requests = Array.from({ length: atOnce }, (_, index) => ({
    ...orderRequest(partner, { callbackUrl: 'https://hooks.example/x' }),
    ordinal: index + 1,
  }))
  await session.explained((on) => on`begin`)
  const placed = await session.explained(
    (on) => on`select * from api.place_orders(${on.json(requests as never)})`,
  )
  const itemIds = placed.rows.flatMap(({ body }) => body.items.map(({ id }: { id: string }) => id))
  const begun = await session.explained(
    (on) => on`select * from work.begin_calls(${itemIds}::uuid[], '{}', null)`,
  )
  const answers = begun.rows.map(({ ordinal, item_id, lease_token }) => ({
    ...{ ordinal, itemId: item_id, leaseToken: lease_token, result },
  }))
  const finished = await session.explained(
    (on) =>
      on`select * from work.finish_calls(${on.json(answers as never)}, '1 day', '30 minutes', 0, null) where ordinal is not null`,
  )
  await session.explained((on) => (keep ? on`commit` : on`rollback`))
  expect([begun.rows.length, finished.rows.length]).toEqual([atOnce, atOnce])
  return [...begun.statements, ...finished.statements]
}

/** The most rows that a statement reads, whatever the result. */
async function mostRead(session: Explained): Promise<number> {
  const read: number[] = []
  for (const result of Object.values(results)) {
    const statements = await runCalls(session, result)
    read.push(...statements.map(({ rowsRead }) => rowsRead))
  }
  return Math.max(...read)
}

async function inNewSession<T>(work: (session: Explained) => Promise<T>): Promise<T> {
  const session = await explainingSession(database.url, plansByKey)
  try {
    return await work(session)
  } finally {
    await session.end()
  }
}

test('calls read what is theirs while the tables are small, in old and in new sessions', async () => {
  expect(await mostRead(oldest)).toBeLessThanOrEqual(100)
  expect(await mostRead(old)).toBeLessThanOrEqual(100)
  expect(await inNewSession(mostRead)).toBeLessThanOrEqual(200)
})

describe('with thousands of orders', () => {
  beforeAll(async () => {
    await growing.unsafe(`set local session_replication_role = replica;
      update supply.orders set number = number + 1000000; delete from supply.order_results; delete from supply.events`)
    await fillOrders(growing, { orders: filled, productId: products.topUp })
  })

  test.each([
    ['nobody analysed', ''],
    ['are analysed', 'analyze'],
    ['are analysed and vacuumed', 'vacuum analyze'],
  ])('calls read what is theirs on tables that %s, in old and in new sessions', async (_, maintenance) => {
    await sql().unsafe(maintenance)
    expect(await mostRead(oldest)).toBeLessThanOrEqual(400)
    expect(await mostRead(old)).toBeLessThanOrEqual(400)
    expect(await inNewSession(mostRead)).toBeLessThanOrEqual(400)
  })
})
