import { createHash } from 'node:crypto'
import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plansByKey } from '../../src/database/connections/pool.ts'
import { fillOrders } from '../bench/fill.ts'
import { testDatabase } from '../support/database.ts'
import { completed, finishCalls, leaseCalls } from '../support/items.ts'
import { orderRequest, place } from '../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../support/partner.ts'
import {
  type Explained,
  explainingSession,
  inNewSession,
  mostRead,
  scansOf,
  withoutAutovacuum,
} from '../support/sql/plans.ts'

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
let known: { item: string; payment: string } | undefined

/** Filters of `api.list_orders`. */
const filters = [
  '',
  '$code',
  `status => 'completed'`,
  `status => 'failed'`,
  `page => 1, status => 'pending'`,
  `page => 1, external_order_id => 'filled-15'`,
  `page => 1, status => 'completed', external_order_id => 'filled-15'`,
  'created_to => $halfYearAgo',
  'page => 1, created_to => $longAgo',
  'page => 1, created_from => $halfYearAgo, created_to => $minuteLater',
  `page => 1, status => 'failed', created_from => $halfYearAgo, created_to => $minuteLater`,
  'page => 1, created_from => $halfYearAgo, created_to => $minuteLater, as_of => $seq',
  `page => 1, external_order_id => 'filled-15', as_of => $seq`,
  `page => 1, status => 'pending', as_of => $seq`,
]

const partnersReads = [
  ...filters.map((filter) => `select api.list_orders($account, 20${filter === '' ? '' : ', '}${filter})`),
  'select * from api.quote_order($quote)',
  'select * from api.list_results($account, $key, 0, 20)',
  'select * from api.list_results($account, $key, 600, 20)',
  'select api.get_order($account, $code)',
  'select api.get_balance($account)',
  'select api.list_transactions($account, 20)',
  'select api.list_transactions($account, 20, 100)',
  'select api.list_transactions($account, 20, created_from => $halfYearAgo, created_to => $minuteLater)',
  'select api.list_transactions($account, 20, created_to => $halfYearAgo)',
  'select * from work.gauges()',
]

const operatorsReads = [
  `select * from ops.orders where external_order_id = 'filled-15'`,
  `select * from ops.orders where status = 'processing'`,
  'select * from ops.orders order by created_at desc limit 20',
  'select * from ops.orders where account_id = $account order by created_at desc limit 20',
  'select * from ops.order_items where order_code = $code',
  'select * from ops.supplier_attempts where order_code = $code',
  'select * from ops.supplier_attempts order by attempt_id desc limit 20',
  `select * from ops.supplier_attempts where supplier = 'bench' order by started_at desc limit 20`,
  `select * from ops.supplier_attempts where supplier = 'bench' and started_at between $halfYearAgo and $minuteLater`,
  'select * from ops.events where order_code = $code',
  'select * from ops.events order by created_at desc limit 20',
  'select * from ops.events where account_id = $account order by created_at desc limit 20',
  `select * from ops.events where state = 'dead'`,
  `select * from ops.events where state = 'sending'`,
  `select * from ops.events where state = 'waiting' order by next_attempt_at limit 20`,
  `select * from ops.order_items where supplier = 'bench' and completed_at is not null order by completed_at desc limit 20`,
  `select * from ops.order_items where supplier = 'bench' and completed_at between $halfYearAgo and $minuteLater`,
  `select * from ops.order_items where supplier = 'nobody' and completed_at < now() order by completed_at desc limit 20`,
  'select * from ops.delivery_attempts order by started_at desc limit 20',
  'select * from ops.ledger where order_code = $code',
  'select * from ops.ledger order by created_at desc limit 20',
  'select * from ops.ledger where account_id = $account order by seq desc limit 20',
  'select * from ops.statement($account, $halfYearAgo, $dayLater)',
  'select * from ops.statement($account, to_at => $longAgo)',
  'select * from ops.margins($halfYearAgo, $dayLater)',
  'select * from ops.queue where available order by run_at limit 20',
  `select * from ops.queue where subject = md5('event' || 307)::uuid`,
  'select q.* from ops.events e join ops.queue q on q.subject = e.event_id where e.order_code = $code',
  `select * from ops.ledger where type = 'adjustment' order by created_at desc limit 20`,
  `select * from ops.ledger where external_order_id = 'filled-15'`,
  'select * from ops.supplier_attempts where item_id = $item',
  'select a.* from ops.events e join ops.delivery_attempts a using (event_id) where e.order_code = $code',
  'select * from ops.order_items where to_ask',
  'select * from ops.stuck_items',
  'select * from ops.dead_letters',
  'select * from ops.supplier_health',
  'select * from ops.attention',
  'select * from ops.order_story($code)',
  `select * from ops.order_story('filled-15')`,
  'select * from ops.order_story($item)',
  `select * from ops.order_story(md5('event' || 15)::uuid::text)`,
  'select * from ops.order_story($payment)',
  `select * from ops.order_story('at-supplier-15')`,
  `select * from ops.find('filled-15')`,
  `select * from ops.find('nothing of that name')`,
]

const ago = (days: number, ms = 0) => `'${new Date(Date.now() - days * 86_400_000 + ms).toISOString()}'`

/** A read with the values that its placeholders stand for. */
function filled(read: string): string {
  const quote = JSON.stringify({ ...orderRequest(partner), idempotency_key: null })
  const values: { [name: string]: unknown } = {
    ...{ account: partner.accountId, key: partner.keyId, quote: `'${quote}'` },
    code: `'ord_${createHash('md5')
      .update(`order${orders / 2}`)
      .digest('hex')}'`,
    seq: '(select a.last_seq / 2 from supply.accounts a where a.id = $account)',
    ...{ item: `'${known?.item}'`, payment: `'${known?.payment}'`, longAgo: ago(800), halfYearAgo: ago(183) },
    ...{ minuteLater: ago(183, 60_000), dayLater: ago(182) },
  }
  return read.replace(/\$([a-z]+)/gi, (_, name: string) => filled(String(values[name])))
}

/** The reads that look at more rows than they should, and how many. */
async function tooMany(session: Explained, reads: string[]): Promise<{ [what: string]: number }> {
  const found: { [what: string]: number } = {}
  for (const read of reads) {
    const { statements } = await session.explained((sql) => sql.unsafe(filled(read)))
    if (mostRead(statements) > most) found[read] = mostRead(statements)
  }
  return found
}

const planCaches = ['force_custom_plan', 'force_generic_plan', 'auto']

beforeAll(async () => {
  const { sql } = database
  await makeCatalog(sql, { url: 'http://127.0.0.1:9', token: 'token', code: 'bench' })
  partner = await makePartner(sql, { balance: orders })
  for (let n = 0; n < 4; n += 1) await makePartner(sql, { balance: orders })
  await withoutAutovacuum(sql)
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
  known = row as never
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
    expect(await inNewSession(database.url, plansByKey, (session) => tooMany(session, partnersReads))).toEqual({})
  })

  test('a page as of a moment skips what came after it', async () => {
    await inNewSession(database.url, plansByKey, async (session) => {
      const { statements } = await session.explained((sql) =>
        sql.unsafe(filled('select api.list_orders($account, 20, page => 1, as_of => $seq)')),
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
  const found = await inNewSession(database.url, { plan_cache_mode }, (session) => tooMany(session, operatorsReads))
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
  await inNewSession(database.url, plansByKey, async (session) => {
    const { rows, statements } = await session.explained((on) => on`select * from work.gauges()`)
    expect(rows[0]?.events_waiting).toBeGreaterThan(12_000)
    expect(rows[0]?.events_waiting).toBeLessThan(18_000)
    expect(mostRead(statements)).toBeLessThanOrEqual(10_000)
    const ofNone = "select * from ops.events where account_id = 0 and state = 'waiting'"
    expect(await tooMany(session, [ofNone])).toEqual({})
  })
})

test('what the record of a result reads does not grow with the calls under way', async () => {
  const { sql } = database
  const { body } = await place(sql, partner)
  const [call] = await leaseCalls(
    sql,
    body.items.map(({ id }) => id),
  )
  if (call === undefined) throw new Error('the call is not due')
  await sql`vacuum analyze supply.supplier_attempts`
  await sql`insert into supply.supplier_attempts (item_id, supplier, method, lease_token)
    select ${call.item_id}, 'bench', 'get', gen_random_uuid() from generate_series(1, ${2 * most}::int)`
  await inNewSession(database.url, plansByKey, async (session) => {
    const { statements } = await session.explained(async (on) => {
      expect((await finishCalls(on, [call], completed())).verdicts).toEqual(['settled'])
      return []
    })
    expect(mostRead(statements)).toBeLessThanOrEqual(most)
  })
})
