import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plansByKey } from '../../src/database/connections/pool.ts'
import { fillOrders } from '../bench/fill.ts'
import { testDatabase } from '../support/database.ts'
import { orderRequest } from '../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../support/partner.ts'
import { type Explained, explainingSession, scansOf } from '../support/sql/plans.ts'

// What partners and operators read, by the rows that are read for it: on empty tables, on grown ones that nobody analysed,
// and on analysed ones; by a session that keeps the plans of the empty tables, and by new ones.
const database = testDatabase()
const orders = 6000
const page = 20
/** A page of rows, each with its items, and no more. */
const most = 100
let partner: Partner
let old: Explained
/** Of order 15. */
let known: { item: string; payment: string }

type Reads = { [what: string]: (sql: postgres.Sql) => postgres.PendingQuery<postgres.Row[]> }

const longAgo = new Date(Date.now() - 800 * 86_400_000)
const halfYearAgo = new Date(Date.now() - 183 * 86_400_000)
const minuteLater = new Date(halfYearAgo.getTime() + 60_000)
const dayLater = new Date(halfYearAgo.getTime() + 86_400_000)
const midCode = (sql: postgres.Sql) => sql`'ord_' || md5('order' || ${orders / 2}::int)`
const midSeq = (sql: postgres.Sql) =>
  sql`(select a.last_seq / 2 from supply.accounts a where a.id = ${partner.accountId})`

const partnersReads: Reads = {
  'first page': (sql) => sql`select api.list_orders(${partner.accountId}, ${page})`,
  'page from a cursor': (sql) => sql`select api.list_orders(${partner.accountId}, ${page}, ${midCode(sql)})`,
  'page by status': (sql) =>
    sql`select api.list_orders(${partner.accountId}, ${page}, status => 'completed')`,
  'page by a rare status': (sql) =>
    sql`select api.list_orders(${partner.accountId}, ${page}, status => 'failed')`,
  'page and total of a status that nothing has': (sql) =>
    sql`select api.list_orders(${partner.accountId}, ${page}, page => 1, status => 'pending')`,
  'page and total by reference': (sql) =>
    sql`select api.list_orders(${partner.accountId}, ${page}, page => 1, external_order_id => 'filled-15')`,
  'page and total by reference and status': (sql) => sql`
    select api.list_orders(${partner.accountId}, ${page}, page => 1, status => 'completed', external_order_id => 'filled-15')`,
  'page up to half a year ago': (sql) =>
    sql`select api.list_orders(${partner.accountId}, ${page}, created_to => ${halfYearAgo})`,
  'page and total up to long ago': (sql) =>
    sql`select api.list_orders(${partner.accountId}, ${page}, page => 1, created_to => ${longAgo})`,
  'page and total of a minute': (sql) => sql`
    select api.list_orders(${partner.accountId}, ${page}, page => 1, created_from => ${halfYearAgo}, created_to => ${minuteLater})`,
  'page and total by status of a minute': (sql) => sql`
    select api.list_orders(${partner.accountId}, ${page}, page => 1, status => 'failed',
      created_from => ${halfYearAgo}, created_to => ${minuteLater})`,
  'page and total of a minute, as of a moment': (sql) => sql`
    select api.list_orders(${partner.accountId}, ${page}, page => 1, created_from => ${halfYearAgo}, created_to => ${minuteLater},
      as_of => ${midSeq(sql)})`,
  'page and total by reference, as of a moment': (sql) => sql`
    select api.list_orders(${partner.accountId}, ${page}, page => 1, external_order_id => 'filled-15', as_of => ${midSeq(sql)})`,
  'page and total of a status that nothing has, as of a moment': (sql) => sql`
    select api.list_orders(${partner.accountId}, ${page}, page => 1, status => 'pending', as_of => ${midSeq(sql)})`,
  'a quote': (sql) => sql`
    select * from api.quote_order(${sql.json({ ...orderRequest(partner), idempotency_key: null } as never)})`,
  'first page of the results': (sql) =>
    sql`select * from api.list_results(${partner.accountId}, ${partner.keyId}, 0, ${page})`,
  'results from a number': (sql) =>
    sql`select * from api.list_results(${partner.accountId}, ${partner.keyId}, ${orders / 10}, ${page})`,
  'an order': (sql) => sql`select api.get_order(${partner.accountId}, ${midCode(sql)})`,
  'the balance': (sql) => sql`select api.get_balance(${partner.accountId})`,
  'first page of the statement': (sql) => sql`select api.list_transactions(${partner.accountId}, ${page})`,
  'statement from a cursor': (sql) => sql`select api.list_transactions(${partner.accountId}, ${page}, 100)`,
  'statement of a minute': (sql) => sql`
    select api.list_transactions(${partner.accountId}, ${page}, created_from => ${halfYearAgo}, created_to => ${minuteLater})`,
  'statement up to half a year ago': (sql) =>
    sql`select api.list_transactions(${partner.accountId}, ${page}, created_to => ${halfYearAgo})`,
  gauges: (sql) => sql`select * from work.gauges()`,
}

const operatorsReads: Reads = {
  'order by code': (sql) => sql`select * from ops.orders where order_code = ${midCode(sql)}`,
  'orders by reference alone': (sql) => sql`select * from ops.orders where external_order_id = 'filled-15'`,
  'orders that are open': (sql) => sql`select * from ops.orders where status = 'processing'`,
  'latest orders': (sql) => sql`select * from ops.orders order by created_at desc limit ${page}`,
  'latest orders of an account': (sql) => sql`
    select * from ops.orders where account_id = ${partner.accountId} order by created_at desc limit ${page}`,
  'items of an order': (sql) => sql`select * from ops.order_items where order_code = ${midCode(sql)}`,
  'attempts of an order': (sql) =>
    sql`select * from ops.supplier_attempts where order_code = ${midCode(sql)}`,
  'latest attempts by number': (sql) =>
    sql`select * from ops.supplier_attempts order by attempt_id desc limit ${page}`,
  'latest attempts': (sql) => sql`select * from ops.supplier_attempts order by started_at desc limit ${page}`,
  'latest attempts of a supplier': (sql) => sql`
    select * from ops.supplier_attempts where supplier = 'bench' order by started_at desc limit ${page}`,
  'attempts of a supplier in a minute': (sql) => sql`
    select * from ops.supplier_attempts
    where supplier = 'bench' and started_at between ${halfYearAgo} and ${minuteLater}`,
  'event of an order': (sql) => sql`select * from ops.events where order_code = ${midCode(sql)}`,
  'latest events': (sql) => sql`select * from ops.events order by created_at desc limit ${page}`,
  'latest events of an account': (sql) => sql`
    select * from ops.events where account_id = ${partner.accountId} order by created_at desc limit ${page}`,
  'dead events': (sql) => sql`select * from ops.events where state = 'dead'`,
  'events under way': (sql) => sql`select * from ops.events where state = 'sending'`,
  'events that are held': (sql) => sql`select * from ops.events where state = 'held'`,
  'events that wait': (sql) => sql`
    select * from ops.events where state = 'waiting' order by next_attempt_at limit ${page}`,
  'items that a supplier ended last': (sql) => sql`
    select * from ops.order_items where supplier = 'bench' and completed_at is not null
    order by completed_at desc limit ${page}`,
  'items of a supplier in a minute': (sql) => sql`
    select * from ops.order_items where supplier = 'bench' and completed_at between ${halfYearAgo} and ${minuteLater}`,
  'items of a supplier that has none': (sql) => sql`
    select * from ops.order_items where supplier = 'nobody' and completed_at < now()
    order by completed_at desc limit ${page}`,
  'latest deliveries': (sql) =>
    sql`select * from ops.delivery_attempts order by started_at desc limit ${page}`,
  'ledger rows of an order': (sql) => sql`select * from ops.ledger where order_code = ${midCode(sql)}`,
  'latest ledger rows': (sql) => sql`select * from ops.ledger order by created_at desc limit ${page}`,
  'latest ledger rows of an account': (sql) => sql`
    select * from ops.ledger where account_id = ${partner.accountId} order by seq desc limit ${page}`,
  'statement of a day': (sql) =>
    sql`select * from ops.statement(${partner.accountId}, ${halfYearAgo}, ${dayLater})`,
  'statement from before all until long ago': (sql) =>
    sql`select * from ops.statement(${partner.accountId}, to_at => ${longAgo})`,
  'margins of a day': (sql) => sql`select * from ops.margins(${halfYearAgo}, ${dayLater})`,
  'next jobs': (sql) => sql`select * from ops.queue where available order by run_at limit ${page}`,
  'jobs of an event': (sql) => sql`select * from ops.queue where subject = md5('event' || 307)::uuid`,
  'jobs of an order': (sql) => sql`
    select q.* from ops.events e join ops.queue q on q.subject = e.event_id where e.order_code = ${midCode(sql)}`,
  'entries by hand': (sql) => sql`
    select * from ops.ledger where type = 'adjustment' order by created_at desc limit ${page}`,
  'ledger rows by the partner’s reference': (sql) =>
    sql`select * from ops.ledger where external_order_id = 'filled-15'`,
  'attempts at an item': (sql) => sql`select * from ops.supplier_attempts where item_id = ${known.item}`,
  'deliveries of an order': (sql) => sql`
    select a.* from ops.events e join ops.delivery_attempts a using (event_id) where e.order_code = ${midCode(sql)}`,
  'items that have to be asked for': (sql) => sql`select * from ops.order_items where to_ask`,
  'items that wait for an operator': (sql) => sql`select * from ops.stuck_items`,
  'dead letters': (sql) => sql`select * from ops.dead_letters`,
  'health of the suppliers': (sql) => sql`select * from ops.supplier_health`,
  'what wants a human': (sql) => sql`select * from ops.attention`,
  'story by code': (sql) => sql`select * from ops.order_story(${midCode(sql)})`,
  'story by reference': (sql) => sql`select * from ops.order_story('filled-15')`,
  'story by item': (sql) => sql`select * from ops.order_story(${known.item})`,
  'story by event': (sql) => sql`select * from ops.order_story(md5('event' || 15)::uuid::text)`,
  'story by payment': (sql) => sql`select * from ops.order_story(${known.payment})`,
  'story by supplier’s order id': (sql) => sql`select * from ops.order_story('at-supplier-15')`,
  'what a reference may refer to': (sql) => sql`select * from ops.find('filled-15')`,
  'what an unknown text may refer to': (sql) => sql`select * from ops.find('nothing of that name')`,
}

/** The reads that look at more rows than they should, and how many. */
async function tooMany(session: Explained, reads: Reads): Promise<{ [what: string]: number }> {
  const found: { [what: string]: number } = {}
  for (const [what, read] of Object.entries(reads)) {
    const { statements } = await session.explained((sql) => read(sql))
    const rows = Math.max(...statements.map(({ rowsRead }) => rowsRead))
    if (rows > most) found[what] = rows
  }
  return found
}

async function withNewSession<T>(
  settings: Readonly<Record<string, string>>,
  work: (session: Explained) => Promise<T>,
): Promise<T> {
  const session = await explainingSession(database.url, settings)
  try {
    return await work(session)
  } finally {
    await session.end()
  }
}

const planCaches = ['force_custom_plan', 'force_generic_plan', 'auto']

beforeAll(async () => {
  const { sql } = database
  await makeCatalog(sql, { url: 'http://127.0.0.1:9', token: 'token', code: 'bench' })
  partner = await makePartner(sql, { balance: orders })
  for (let n = 0; n < 4; n += 1) await makePartner(sql, { balance: orders })
  const tables = await sql`
    select c.oid::regclass::text as name from pg_class c
    where c.relkind = 'r' and c.relnamespace in ('supply'::regnamespace, 'graphile_worker'::regnamespace)`
  for (const { name } of tables) await sql.unsafe(`alter table ${name} set (autovacuum_enabled = off)`)
  const growing = postgres(database.url, { max: 1 })
  // A session's first temporary table may add a schema, which has all sessions make their plans again.
  await growing`create temp table first ()`
  old = await explainingSession(database.url, plansByKey)
  // From the sixth time on, a session may keep a plan.
  for (let n = 0; n < 7; n += 1) expect(await tooMany(old, partnersReads)).toEqual({})
  await fillOrders(growing, { orders, productId: products.topUp })
  const [row] = await growing`
    select i.id as item, o.payment_code as payment from supply.orders o join supply.order_items i on i.order_id = o.id
    where o.external_order_id = 'filled-15'`
  known = { item: row?.item, payment: row?.payment }
  await growing.end()
})
afterAll(() => old.end())

// A vacuum that comes beside an open transaction marks no page as visible to all, as if there had been none.
describe.each([
  ['nobody analysed', ''],
  ['are analysed', 'analyze'],
  ['are analysed and vacuumed', 'vacuum analyze'],
])('on tables that %s', (_state, maintenance) => {
  beforeAll(() => database.sql.unsafe(maintenance))

  test('partners’ reads cost a page, in a session that is as old as the tables', async () => {
    expect(await tooMany(old, partnersReads)).toEqual({})
  })

  test('partners’ reads cost a page, in a new session', async () => {
    expect(await withNewSession(plansByKey, (session) => tooMany(session, partnersReads))).toEqual({})
  })

  test('a page as of a moment skips what came after it', async () => {
    await withNewSession(plansByKey, async (session) => {
      const { statements } = await session.explained(
        (sql) =>
          sql`select api.list_orders(${partner.accountId}, ${page}, page => 1, as_of => ${midSeq(sql)})`,
      )
      // The total counts them all.
      const pages = statements.filter(({ text }) => text.includes('array(select o.id'))
      expect(pages.map(({ rowsRead }) => rowsRead)).toEqual([page + 1])
      expect(scansOf(pages, 'orders')).toEqual(['orders_number'])
    })
  })
})

// Operators come with the planner's own settings: without figures of the tables it may read and sort an account's rows.
test.each(planCaches)('operators’ reads cost a page on analysed tables, with %s', async (plan_cache_mode) => {
  await database.sql`vacuum analyze`
  const found = await withNewSession({ plan_cache_mode }, (session) => tooMany(session, operatorsReads))
  expect(found).toEqual({})
})

test('very many events on rungs are not counted one by one, and samples are no dead letters', async () => {
  const { sql } = database
  const write = (count: number, state: 'waiting' | 'dead') => sql`
    insert into supply.events
      (account_id, order_code, event_type, callback_url, body, simulated, state, next_attempt_at, dead_at, dead_reason, delivered_at)
    select ${partner.accountId}, ${state} || n, 'order.completed', 'https://hooks.example/x', '{}', true, ${state},
      case when ${state === 'waiting'} then now() + interval '1 hour' end,
      case when ${state === 'dead'} then now() end, case when ${state === 'dead'} then 'http_4xx' end, null
    from generate_series(1, ${count}::int) n`
  await write(3, 'dead')
  const [few] = await sql`select events_waiting, dead_letters from work.gauges()`
  expect(few).toEqual({ events_waiting: orders / 100, dead_letters: 0 })

  await write(15_000, 'waiting')
  await sql`vacuum analyze supply.events`
  await withNewSession(plansByKey, async (session) => {
    const { rows, statements } = await session.explained((on) => on`select * from work.gauges()`)
    expect(rows[0]?.events_waiting).toBeGreaterThan(12_000)
    expect(rows[0]?.events_waiting).toBeLessThan(18_000)
    expect(Math.max(...statements.map(({ rowsRead }) => rowsRead))).toBeLessThanOrEqual(10_000)
    const waiting: Reads = {
      'waiting events of an account that has none': (on) =>
        on`select * from ops.events where account_id = 0 and state = 'waiting'`,
    }
    expect(await tooMany(session, waiting)).toEqual({})
  })
})

test('a statement’s periods fit together though rows share a moment', async () => {
  const { sql } = database
  const other = await makePartner(sql, { balance: 0 })
  for (let n = 1; n <= 6; n += 1) await sql`select ops.deposit(${other.accountId}, ${n}, ${`deposit ${n}`})`
  const at = new Date('2026-01-01T00:00:00Z')
  // Two before, two at, and two after that moment.
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      update supply.ledger set created_at = ${at}::timestamptz + (seq - 1) / 2 * interval '1 hour' - interval '1 hour'
      where account_id = ${other.accountId}`
  })
  const statement = async (created_from: Date | null, created_to: Date | null) => {
    const [row] = await sql`
      select api.list_transactions(${other.accountId}, 100, created_from => ${created_from}, created_to => ${created_to}) as s`
    const { transactions, openingBalance, closingBalance } = row?.s ?? {}
    return [openingBalance, transactions.map(({ seq }: { seq: number }) => seq), closingBalance]
  }
  const before = new Date(at.getTime() - 1)
  const after = new Date(at.getTime() + 1)
  expect(await statement(null, null)).toEqual([0, [6, 5, 4, 3, 2, 1], 21])
  expect(await statement(null, before)).toEqual([0, [2, 1], 3])
  expect(await statement(at, at)).toEqual([3, [4, 3], 10])
  expect(await statement(after, null)).toEqual([10, [6, 5], 21])
  expect(await statement(after, before)).toEqual([10, [], 3])
  expect(await statement(null, longAgo)).toEqual([0, [], 0])
})
