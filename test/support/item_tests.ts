import type postgres from 'postgres'
import { afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { testDatabase } from './database.ts'
import { finishAttempt, leaseAttempt, makeEvent, makeEvents } from './events.ts'
import { operatorOf } from './operator.ts'
import { audit, type OrderRequest, place } from './orders.ts'
import { makePartner, type Partner, products } from './partner.ts'
import { unchecked } from './sql/transactions.ts'

type Options = {
  /** The name of each new partner, and what it deposits, in roubles. */
  name?: string
  balance?: number
  /** Whether the audit must find nothing after each test. */
  audited?: boolean
  /** Whether each test begins with the rows of the template, because it looks at the items of all tests. */
  isolated?: boolean
}

/** For a test file about items and events: a database with the small catalog, and a new partner for each test. */
export function itemTests({ name, balance = 1000, audited = false, isolated = false }: Options = {}) {
  const database = testDatabase({ catalog: true })
  let present: Partner
  const sql = () => database.sql
  const operator = operatorOf(database)

  let first: FirstRows
  beforeAll(async () => {
    if (isolated) first = await saveRows(sql())
  })
  beforeEach(async () => {
    if (isolated) await restoreRows(sql(), first)
    present = await makePartner(sql(), { name, balance })
  })
  afterEach(async () => {
    if (audited) expect(await audit(sql())).toEqual([])
  })

  async function order(request: OrderRequest = {}, of = present) {
    const { body } = await place(sql(), of, request)
    const items = body.items.map(({ id }) => id)
    return { code: body.code, items, item: items[0] ?? '' }
  }

  return {
    database,
    sql,
    /** A client with the rights of an operator and no others. */
    operator,
    partner: () => present,
    /** Places an order of a partner and returns its code and the ids of its items. */
    order,
    newItem: async () => (await order()).item,
    keys: (quantity: number, callbackUrl: string | null = null) =>
      order({ callbackUrl, items: [{ productId: products.key, quantity }] }),
    /** The order as the partner reads it. */
    read: async (code: string) => {
      const [row] = await sql()`select body from api.get_order(${present.accountId}, ${code})`
      return row?.body
    },
    /** The item's row, with the seconds until its next call. */
    itemOf: async (id: string) => {
      const [row] = await sql()`select *, extract(epoch from next_check_at - now())::float as wait
        from supply.order_items where id = ${id}`
      return row ?? {}
    },
    eventsOf: async (code: string) => [...(await sql()`select * from supply.events where order_code = ${code}`)],
    /** The event as operators see it, with the seconds until its next attempt. */
    eventOf: async (id: string) => {
      const [row] = await sql()`select *, extract(epoch from next_attempt_at - now())::float as wait
        from ops.events where event_id = ${id}`
      return row ?? {}
    },
    /** Completes orders of a partner and returns the ids of their events. */
    newEvents: (count: number, of = present) => makeEvents(sql(), of, count),
    newEvent: (of = present) => makeEvent(sql(), of),
    /** Leases the next attempt of an event and records how it ended. Returns the verdict. */
    attempt: async (event: string, result: object) => finishAttempt(sql(), await leaseAttempt(sql(), event), result),
    attemptsOf: async (event: string) => [
      ...(await sql()`
        select * from ops.delivery_attempts where event_id = ${event} order by started_at, attempt`),
    ],
    /** The jobs of an item, an event or an alert, with the seconds until each is due. */
    jobsOf: async (subject: string) => [
      ...(await sql()`
        select *, extract(epoch from run_at - now())::float as wait, extract(epoch from run_at - created_at)::float as delay
        from core.jobs where subject = ${subject}`),
    ],
    /** Removes the jobs of items, events and alerts, as a fault or a worker that completed them would. */
    loseJobs: (...subjects: string[]) =>
      sql()`delete from graphile_worker._private_jobs where payload ->> 'id' = any(${subjects})`,
    /** How often a cause was alerted so far. */
    alertsOf: async (cause: string): Promise<number> => {
      const [row] = await sql()`select coalesce(sum(count), 0)::int as n from ops.alerts where cause = ${cause}`
      return row?.n
    },
    /** Records a pushed result, again while it is busy as the API does, and returns its result. */
    push: async function push(supplier: string, item: string, result: object): Promise<string> {
      const [row] =
        await sql()`select answer as said from api.record_pushed_result(${supplier}, ${item}, ${sql().json(result as never)})`
      return row?.said === 'busy' ? push(supplier, item, result) : row?.said
    },
  }
}

type FirstRows = {
  /** The tables that are filled by tests alone. */
  empty: string[]
  /** The statements that give the others the rows that they had at first. */
  restore: string[]
}

/** Keeps the rows that a database begins with, in tables of a schema of their own. */
async function saveRows(sql: postgres.Sql): Promise<FirstRows> {
  const tables = await sql<{ name: string; columns: string }[]>`
    select c.oid::regclass::text as name, string_agg(quote_ident(a.attname), ', ') as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relkind = 'r' and c.relnamespace = 'supply'::regnamespace group by c.oid`
  const first: FirstRows = { empty: ['graphile_worker._private_jobs'], restore: [] }
  await sql`create schema first_rows`
  for (const { name, columns } of tables) {
    const saved = name.replace('supply.', 'first_rows.')
    const rows = await sql.unsafe(`select from ${name} limit 1`)
    if (rows.length === 0) first.empty.push(name)
    else {
      await sql.unsafe(`create table ${saved} as select ${columns} from ${name}`)
      first.restore.push(
        `delete from ${name}; insert into ${name} (${columns}) overriding system value select ${columns} from ${saved}`,
      )
    }
  }
  return first
}

/** Gives all tables these rows again. After a truncate all sessions plan all statements again, so few are truncated. */
async function restoreRows(sql: postgres.Sql, { empty, restore }: FirstRows): Promise<void> {
  const large = await sql<{ name: string }[]>`
    select name from unnest(${empty}::text[]) as name where pg_relation_size(name::regclass) > 500000`
  const statements = [...empty.map((table) => `delete from ${table}`), ...restore]
  if (large.length > 0) statements.unshift(`truncate ${large.map(({ name }) => name).join(', ')} cascade`)
  await unchecked(sql, (tx) => tx.unsafe(statements.join(';')))
}
