import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plansByKey } from '../../src/database/connections/pool.ts'
import { fillOrders } from '../bench/fill.ts'
import { testDatabase } from '../support/database.ts'
import { answered, unreachable } from '../support/events.ts'
import { completed, failed, processing, unknown } from '../support/items.ts'
import { orderRequest } from '../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../support/partner.ts'
import {
  type Explained,
  explainingSession,
  inNewSession,
  type Statement,
  scansOf,
  withoutAutovacuum,
} from '../support/sql/plans.ts'
import { makeStock } from '../support/stock.ts'

// What the statements of orders and their deliveries read: by sessions that keep the plans of empty and of small
// tables, and by new ones, while the tables grow, are not analysed, and are.
const database = testDatabase()
const sql = () => database.sql
let partner: Partner
/** The product that is sold from our own stock. */
const ownKey = 106
/** Its plans are those of empty tables. */
let oldest: Explained
/** Its plans are those of small tables. */
let old: Explained
let growing: postgres.Sql

beforeAll(async () => {
  await makeCatalog(sql(), { url: 'http://127.0.0.1:9', token: 'token', code: 'bench' })
  await sql()`select ops.upsert_product(${ownKey}, 'space-trader', 'Own key', 20, 'RUB', 'key')`
  await makeStock(sql(), { productId: ownKey })
  await sql()`select ops.load_codes('vault', 'v-1', array(select 'own-' || n from generate_series(1, 500) n))`
  partner = await makePartner(sql(), { balance: 1_000_000 })
  for (let n = 0; n < 4; n += 1) await makePartner(sql(), { balance: 6000 })
  // The partner pays the prices of one of many lists.
  await sql()`insert into supply.price_lists (name, discount) select 'list ' || n, 0.05 from generate_series(1, 300) n`
  await sql()`
    insert into supply.list_prices (list_id, product_id, min_quantity, price)
    select l.id, ${products.topUp}, quantity, 10 from supply.price_lists l, unnest('{1,5}'::int[]) as quantity`
  await sql()`select ops.set_account_list(${partner.accountId}, 'list 150')`
  await sql()`update supply.delivery_slots set slots = 64 where account_id = ${partner.accountId}`
  await withoutAutovacuum(sql())
  growing = postgres(database.url, { max: 1 })
  // A session's first temporary table may add a schema, which has all sessions make their plans again.
  await growing`create temp table first ()`
  await growing`select setval(pg_get_serial_sequence('supply.orders', 'id'), 1000000)`
  // To the planner, a table that was empty when it was analysed is one page permanently.
  await sql()`vacuum analyze`
  oldest = await explainingSession(database.url, plansByKey)
  await expectFewRead(oldest, { calls: 100, all: 200 })
  // A plan that is made for a page or two is the one that would scan them.
  await inNewSession(database.url, plansByKey, async (first) => {
    for (let n = 0; n < 3; n += 1) await runOrders(first, 8, { keep: true })
  })
  // On a busy machine these events would be overdue meanwhile, and that is work for every step.
  await sql()`update supply.events set next_attempt_at = now() + interval '1 day'`
  old = await explainingSession(database.url, plansByKey)
})
afterAll(() => Promise.all([oldest.end(), old.end(), growing.end({ timeout: 1 })]))

type Steps = { [step: string]: Statement[] }
type Course = {
  request?: object
  result?: object | ((item: string) => object)
  attempt?: object
  keep?: boolean
  /** Whether the orders are made, and whether their first call ends them. */
  isMade?: boolean
  isEnded?: boolean
}

/** What is run for so many orders from their admission to their second delivery. Unless it is kept, all is undone. */
async function runOrders(session: Explained, count: number, course: Course = {}): Promise<Steps> {
  const { request = {}, result = completed(), attempt = answered(503), keep = false } = course
  const { isMade = true, isEnded = isMade } = course
  const steps: Steps = {}
  const run = async (step: string, work: (on: postgres.Sql) => PromiseLike<postgres.Row[]>) => {
    const { statements, rows } = await session.explained(work)
    steps[step] = statements
    return rows
  }
  const ordinals = Array.from({ length: count }, (_, index) => index + 1)
  await session.explained((on) => on`begin`)
  const presented = { origin: null, write: true, allowOrigin: false, count: true, keyHash: 'ab'.repeat(32) }
  const entries = ordinals.map((ordinal) => ({ ordinal, client: `192.0.2.${ordinal}`, ...presented }))
  await run('admit', (on) => on`select * from api.admit(${on.json(entries)}, 500)`)
  const requests = ordinals.map((ordinal) => ({
    ...orderRequest(partner, { callbackUrl: 'https://hooks.example/x', ...request }),
    ordinal,
  }))
  const placed = await run('place', (on) => on`select * from api.place_orders(${on.json(requests as never)})`)
  await run('repeat', (on) => on`select * from api.place_orders(${on.json(requests as never)})`)
  const items = placed.flatMap(({ body }) => (body.items ?? []).map(({ id }: { id: string }) => id))
  const calls = await run('begin calls', (on) => on`select * from work.begin_calls(${items}::uuid[], '{}', null)`)
  const results = calls.map(({ ordinal, item_id: itemId, lease_token: leaseToken }) => ({
    ...{ ordinal, itemId, leaseToken, result: typeof result === 'function' ? result(itemId) : result },
  }))
  const tokens = calls.map(({ lease_token }) => lease_token)
  const recorded = await run('finish calls', (on) =>
    calls[0]?.method === 'stock'
      ? on`select * from unnest((work.sell_stock(${items}, ${tokens}, '1 day', '30 minutes', 0, null)).answers)`
      : on`select * from unnest((work.finish_calls(${on.json(results as never)}, '1 day', '30 minutes', 0, null)).answers)`,
  )
  expect([items.length, calls.length, recorded.length]).toEqual(Array(3).fill(isMade ? count : 0))
  const codes = placed.flatMap(({ body }) => body.orderCode ?? [])
  const { rows: events } = await session.explained(
    (on) => on`select event_id as id from ops.events where order_code = any(${codes})`,
  )
  expect(events).toHaveLength(isEnded ? count : 0)
  for (const rung of ['first', 'second']) {
    const ids = events.map(({ id }) => id)
    const leased = await run(
      `begin ${rung} attempts`,
      (on) => on`select * from unnest(work.begin_deliveries(${ids}::uuid[], 4194304))`,
    )
    if (rung === 'first') expect(leased).toHaveLength(events.length)
    const ended = leased.map(({ event_id: eventId, lease_token: leaseToken }, place) => ({
      ...{ ordinal: place + 1, eventId, leaseToken, result: attempt },
    }))
    await run(
      `finish ${rung} attempts`,
      (on) => on`select * from work.finish_deliveries(${on.json(ended as never)}, 0, null)`,
    )
    await session.explained(
      (on) => on`
        update supply.events set next_attempt_at = now() where order_code = any(${codes}) and next_attempt_at > now()`,
    )
    await session.explained(
      (on) =>
        on`update supply.delivery_slots set slots = 64, slow_hosts = '{}' where account_id = ${partner.accountId}`,
    )
  }
  await run('fill slots', (on) => on`select work.fill_slots()`)
  await session.explained((on) => (keep ? on`commit` : on`rollback`))
  return steps
}

/** Their number of statements does not depend on the number of orders. */
const inBatches: { [name: string]: Course } = {
  'are completed, and their webhooks repeated': {},
  'are completed, and their webhooks delivered': { attempt: answered(200) },
  'are completed, and their receiver does not answer': { attempt: unreachable() },
  'are refused': { request: { items: [{ productId: products.outOfStock }] }, isMade: false },
}
const courses: { [name: string]: Course } = {
  ...inBatches,
  'are refunded': { result: failed() },
  'get codes': {
    request: { items: [{ productId: products.key, quantity: 2 }] },
    result: (item) => completed({ codes: [`1-${item}`, `2-${item}`] }),
  },
  'get codes of our own': { request: { items: [{ productId: ownKey, quantity: 2 }] } },
  'are polled': { result: processing(), isEnded: false },
  'have an unknown outcome': { result: unknown(), isEnded: false },
}

/** Runs eight orders in every course. A statement of the calls to suppliers, and one of any step, reads so many rows. */
async function expectFewRead(session: Explained, most: { calls: number; all: number }): Promise<void> {
  const calls: Statement[] = []
  const all: Statement[] = []
  for (const course of Object.values(courses)) {
    const { 'begin calls': begun = [], 'finish calls': finished = [], ...others } = await runOrders(session, 8, course)
    calls.push(...begun, ...finished)
    all.push(...begun, ...finished, ...Object.values(others).flat())
  }
  // There are few accounts and keys, so the rows that are read would not show a scan of them.
  expect(scansOf(all, 'accounts')).toEqual(['accounts_pkey'])
  expect(scansOf(all, 'api_keys')).toEqual(['api_keys_key_hash_key', 'api_keys_pkey'])
  const thatReadMore = (statements: Statement[], rows: number) => statements.filter(({ rowsRead }) => rowsRead > rows)
  expect(thatReadMore(calls, most.calls)).toEqual([])
  expect(thatReadMore(all, most.all)).toEqual([])
}

test.each(Object.entries(inBatches))('64 orders that %s take as many statements as two', async (_, course) => {
  const counts = async (count: number) =>
    Object.entries(await runOrders(old, count, course)).map(([step, statements]) => `${step}: ${statements.length}`)
  await counts(2)
  expect(await counts(64)).toEqual(await counts(2))
})

test('orders read only their own rows of small tables, in old and in new sessions', async () => {
  await expectFewRead(oldest, { calls: 100, all: 200 })
  await expectFewRead(old, { calls: 100, all: 200 })
  await inNewSession(database.url, plansByKey, (late) => expectFewRead(late, { calls: 200, all: 200 }))
})

describe('with thousands of orders and queued events', () => {
  beforeAll(async () => {
    await growing.unsafe(`set local session_replication_role = replica;
      update supply.orders set number = number + 1000000;
      delete from supply.order_results; delete from supply.events`)
    await fillOrders(growing, { orders: 6000, productId: products.topUp })
    await growing`
      insert into supply.events (account_id, order_code, event_type, callback_url, body, simulated, state, next_attempt_at)
      select a.id, 'o' || n, 'order.completed', 'https://hooks.example/x', '{}', true, 'queued', now()
      from supply.accounts a, generate_series(1, 1000) n where a.id <> ${partner.accountId}`
    await growing`
      insert into supply.item_keys (item_id, position, code)
      select i.id, 0, 'delivered-' || i.id from supply.order_items i where i.completed_at is not null`
    await growing`select ops.load_codes('vault', 'v-1', array(select 'more-' || n from generate_series(1, 3000) n))`
    await growing`select work.fill_slots()`
    await growing`update supply.events set lease_expires_at = now() + interval '1 day' where state = 'ready'`
  })

  test.each([
    ['nobody analysed', ''],
    ['are analysed and vacuumed', 'vacuum analyze'],
  ])('orders read only their own rows of tables that %s, in old and in new sessions', async (_, maintenance) => {
    await sql().unsafe(maintenance)
    await expectFewRead(oldest, { calls: 400, all: 600 })
    await expectFewRead(old, { calls: 400, all: 600 })
    await inNewSession(database.url, plansByKey, (late) => expectFewRead(late, { calls: 400, all: 600 }))
  })
})
