import { beforeEach, describe, expect, test } from 'vitest'
import { plansByKey } from '../../../src/database/connections/pool.ts'
import { sendAlerts } from '../../support/alerts.ts'
import { answered } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { audit } from '../../support/orders.ts'
import { oneValue } from '../../support/sql/one_value.ts'
import { growOld } from '../../support/sql/passing_time.ts'
import { inNewSession, mostRead, scansOf } from '../../support/sql/plans.ts'
import { makeAllThatIsWell, well } from '../audit/scenario.ts'

const { database, sql, partner, newItem, newEvent, attempt } = itemTests({ isolated: true })

beforeEach(async () => {
  await sql()`update supply.housekeeping set
    removed = 0, last_run_at = null, last_count = 0, removed_before = null, pass_count = null, position_at = null`
})

type Removal =
  | 'supplier attempts'
  | 'delivery attempts'
  | 'raw answers'
  | 'alerts'
  | 'simulated orders'
  | 'delivery data'

/** One part of a pass; whether there is more. */
const part = (removal: Removal, isFirst: boolean, retain = '90 days', on = sql()) =>
  oneValue<boolean>(on`select work.remove_old(${removal}, ${retain}, ${isFirst})`)

/** A whole pass, as a worker makes it. Returns how many rows it removed. */
async function pass(removal: Removal, retain = '90 days', on = sql()): Promise<number> {
  for (let isFirst = true; await part(removal, isFirst, retain, on); isFirst = false);
  return Number((await counted(removal))?.last_count)
}

async function counted(removal: Removal) {
  const [row] = await sql()`select * from ops.housekeeping where what = ${removal}`
  return row
}

/** Lets everything be as old as if it had happened so long ago, and every alert be sent. */
async function age(by: string): Promise<void> {
  await growOld(sql(), by)
  await sendAlerts(sql())
  await sql()`delete from graphile_worker._private_jobs where task_id = (
    select id from graphile_worker._private_tasks where identifier = 'alert_operators')`
}

const itemsWithAttempts = async () =>
  (await sql()`select distinct item_id from supply.supplier_attempts`).map(({ item_id }) => item_id).sort()
const eventsWithAttempts = async () =>
  (await sql()`select distinct event_id from supply.delivery_attempts`).map(({ event_id }) => event_id).sort()
const passes = async () => [await pass('supplier attempts'), await pass('delivery attempts')]

/** Adds attempts from a hundred days ago on, a second after each other. */
const addAttempts = (itemId: string, count: number, raw: string | null = null) => sql()`
  insert into supply.supplier_attempts (item_id, supplier, method, started_at, finished_at, outcome, verdict, raw)
  select ${itemId}, 'first', 'get', now() - interval '100 days' + n * interval '1 s', now(), 'processing', 'waiting', ${raw}
  from generate_series(1, ${count}::int) n`

describe('with an item and an event in each state', () => {
  beforeEach(() => makeAllThatIsWell(sql()))

  test('old attempts are removed, except those of open items and undelivered events, and the audit finds nothing', async () => {
    expect(await passes()).toEqual([0, 0])
    await age('89 days')
    expect(await passes()).toEqual([0, 0])

    await age('2 days')
    expect(await audit(sql())).toEqual([])
    expect(await pass('supplier attempts')).toBeGreaterThan(5)
    expect(await pass('delivery attempts')).toBe(4)
    expect(await itemsWithAttempts()).toEqual([well.openItem, well.stuckItem, well.heldItem].sort())
    expect(await eventsWithAttempts()).toEqual([well.waiting, well.sending].sort())
    expect(await audit(sql())).toEqual([])
    expect(await passes()).toEqual([0, 0])
  })

  test('a dead letter whose attempts were removed can be sent again, and the audit counts its new round', async () => {
    await age('91 days')
    await pass('delivery attempts')
    await sql()`select ops.redeliver(${well.dead})`
    expect(await audit(sql())).toEqual([])
    await sql()`update supply.events set attempts = 2 where id = ${well.sending}`
    await sql()`update supply.events set created_at = now() where id = ${well.sending}`
    expect((await audit(sql())).length).toBe(1)
  })

  test('raw answers are removed after their days, and their attempts stay', async () => {
    await sql()`update supply.supplier_attempts set raw = '<html>' where item_id = any(${[well.openItem, well.fullItem]})`
    expect(await pass('raw answers', '7 days')).toBe(0)
    await age('8 days')
    const before = await sql()`select count(*) from supply.supplier_attempts`
    expect(await pass('raw answers', '7 days')).toBe(2)
    expect(await sql()`select from supply.supplier_attempts where raw is not null`).toHaveLength(0)
    expect(await sql()`select count(*) from supply.supplier_attempts`).toEqual(before)
  })

  test('alerts are removed long after they were acknowledged, but not while their item waits', async () => {
    const acknowledge = () => sql()`select ops.acknowledge(alert_id, 'seen') from ops.alerts`
    await age('91 days')
    expect(await pass('alerts')).toBe(0)
    await acknowledge()
    expect(await pass('alerts')).toBe(0)
    await sql()`update supply.acknowledgements set at = now() - interval '91 days'`
    expect(await pass('alerts')).toBe(1)
    const left = await sql()`select kind from ops.alerts order by kind::text`
    expect(left.map(({ kind }) => kind)).toEqual(['item_held', 'item_stuck'])
    expect(await audit(sql())).toEqual([])
  })

  test('nothing that is removed or erased waits for a row of any table that another transaction has locked', async () => {
    const event = await newEvent()
    await attempt(event, answered(200))
    await sql()`select ops.redeliver(${event}::uuid)`
    await attempt(event, answered(200))
    await sql()`select ops.acknowledge(alert_id, 'a note') from ops.alerts`
    await age('100 days')
    const tables = await sql()`
      select relname as name from pg_class where relnamespace = 'supply'::regnamespace and relkind = 'r' order by 1`
    const waited: string[] = []
    for (const { name } of tables) {
      await sql().begin(async (holder) => {
        await holder`select from supply.${sql()(name)} for update`
        const undone = sql().begin(async (worker) => {
          await worker`set local lock_timeout = '2s'`
          await worker`select work.remove_old(what, '90 days', true) from ops.housekeeping`
          throw new Error('undone')
        })
        await undone.catch(({ message }) => message === 'undone' || waited.push(`${name}: ${message}`))
      })
    }
    expect(waited).toEqual([])
    for (const removal of ['delivery attempts', 'delivery data', 'alerts'] as const)
      expect([removal, await pass(removal)]).toEqual([removal, expect.toSatisfy((removed) => removed > 0)])
  })

  test('ops.housekeeping counts what was removed, over passes and parts', async () => {
    await addAttempts(well.fullItem, 2500)
    expect(await part('supplier attempts', true)).toBe(true)
    expect(await counted('supplier attempts')).toMatchObject({ removed: '1000', last_run_at: null })
    expect([await part('supplier attempts', false), await part('supplier attempts', false)]).toEqual([true, false])
    const first = await counted('supplier attempts')
    expect(first).toMatchObject({ removed: '2500', last_count: '2500' })
    expect(first?.last_run_at).toBeInstanceOf(Date)
    // Without a pass under way there is nothing to go on with.
    expect(await part('supplier attempts', false)).toBe(false)

    await addAttempts(well.fullItem, 10)
    expect(await pass('supplier attempts')).toBe(10)
    expect(await counted('supplier attempts')).toMatchObject({ removed: '2510' })
    const whats = await sql()`select what from ops.housekeeping order by what`
    expect(whats.map(({ what }) => what)).toEqual([
      ...[
        'alerts',
        'delivery attempts',
        'delivery data',
        'imports',
        'offer changes',
        'rate windows',
        'raw answers',
        'samples',
      ],
      ...['simulated orders', 'statements', 'supplier attempts', 'supplier events'],
    ])
  })
})

describe('with more attempts than a part removes', () => {
  let openItem: string
  let endedItem: string
  let event: string
  beforeEach(async () => {
    openItem = await newItem()
    event = await newEvent()
    const [row] = await sql()`select id from supply.order_items where completed_at is not null`
    endedItem = row?.id
  })

  test('a pass goes on behind more attempts that have to stay than a part looks at', async () => {
    await addAttempts(openItem, 2300)
    await addAttempts(endedItem, 5)
    expect(await pass('supplier attempts')).toBe(5)
  })

  test('two workers share the work', async () => {
    await addAttempts(endedItem, 5000, 'x')
    const others = [await sql().reserve(), await sql().reserve()]
    for (const removal of ['raw answers', 'supplier attempts'] as const) {
      await Promise.all(others.map((other) => pass(removal, '90 days', other)))
      await pass(removal)
      expect(await counted(removal)).toMatchObject({ removed: '5000' })
    }
    for (const other of others) other.release()
  })

  test('a pass leaves locked rows to a later one, and does not wait for another pass', async () => {
    await addAttempts(endedItem, 20)
    await sql().begin(async (other) => {
      await other`select from supply.supplier_attempts where started_at < now() - interval '90 days' limit 3 for update`
      expect(await pass('supplier attempts')).toBe(17)
    })
    await sql().begin(async (other) => {
      await other`select work.remove_old('supplier attempts', '90 days', true)`
      expect(await part('supplier attempts', true)).toBe(false)
    })
    expect(await counted('supplier attempts')).toMatchObject({ removed: '20' })
  })

  test('a part is found by index, and reads no more than it looks at', async () => {
    // What the planner knows of the tables is nothing, instead of the rows of other tests.
    await sql()`truncate supply.supplier_attempts, supply.delivery_attempts cascade`
    await sql()`
      insert into supply.supplier_attempts (item_id, supplier, method, started_at, finished_at, outcome, verdict, raw)
      select ${endedItem}, 'first', 'get', now() - n * interval '10 minutes', now(), 'processing', 'waiting',
        case when n % 100 = 0 then 'x' end
      from generate_series(1, 20000) n`
    await sql()`
      insert into supply.delivery_attempts (event_id, round, attempt, lease_token, started_at)
      select ${event}, n, 1, gen_random_uuid(), now() - n * interval '10 minutes' from generate_series(10, 20000) n`
    for (const maintenance of ['select', 'vacuum analyze']) {
      await sql().unsafe(maintenance)
      await inNewSession(database.url, plansByKey, async (session) => {
        for (const removal of ['raw answers', 'supplier attempts', 'delivery attempts']) {
          const { statements } = await session.explained(
            (on) => on`select work.remove_old(${removal}, '90 days', true)`,
          )
          expect(mostRead(statements)).toBeLessThan(3_500)
          const table = removal === 'delivery attempts' ? 'delivery_attempts' : 'supplier_attempts'
          expect(scansOf(statements, table)).not.toContain('Seq Scan')
        }
      })
    }
  })
})

test('old events that suppliers pushed and old changes of offers are removed', async () => {
  await newItem()
  const [item] = await sql()`select i.id, i.product_id from supply.order_items i`
  await sql()`
    insert into supply.supplier_events (supplier, event_id, item_id, received_at)
    select 'first', 'event ' || n, ${item?.id}, now() - n * interval '1 day' from generate_series(1, 100) as n`
  await sql()`
    insert into supply.offer_changes (product_id, supplier, before, after, changed_at)
    select ${item?.product_id}, 'first', '{}', '{}', now() - n * interval '1 day' from generate_series(1, 100) as n`
  for (const what of ['supplier events', 'offer changes']) {
    await sql()`select work.remove_old(${what}, '90 days', true)`
    const [left] = await sql()`select count(*)::int as count from supply.${sql()(what.replace(' ', '_'))}`
    expect([what, left?.count]).toEqual([what, 89])
  }
})

test('rate windows are removed some minutes after their end', async () => {
  await sql()`insert into supply.rate_windows (kind, subject, started_at, hits_before, hits, per_minute)
    select 'requests', '10.0.0.' || n, now() - n * interval '1 minute', 0, 1, 1 from generate_series(0, 9) as n`
  await sql()`select work.remove_old('rate windows', '5 minutes', true)`
  const left = await sql()`select subject from supply.rate_windows order by subject`
  expect(left.map(({ subject }) => subject)).toEqual([0, 1, 2, 3, 4].map((n) => `10.0.0.${n}`))
})

test('simulated orders are removed after a week, and their jobs find nothing to do', async () => {
  const add = (count: number, age: string) => sql()`
    insert into supply.simulated_orders (code, account_id, idempotency_key, external_order_id, request_items, total_amount,
      currency, parts, created_at)
    select 'sim_' || replace(gen_random_uuid()::text, '-', ''), ${partner().accountId}, gen_random_uuid()::text, 'x', '[]', 1, 'RUB', '{}',
      now() - ${age}::interval
    from generate_series(1, ${count}::int)`
  await add(1100, '7 days 1 second')
  await add(1, '6 days')
  expect(await pass('simulated orders', '7 days')).toBe(1100)
  const left = await sql()`select created_at < now() - interval '7 days' as is_old from supply.simulated_orders`
  expect(left).toEqual([{ is_old: false }])
  expect(await counted('simulated orders')).toMatchObject({ removed: '1100' })
  await sql()`select work.settle_simulated_order(gen_random_uuid())`
})
