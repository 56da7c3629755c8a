import { beforeEach, describe, expect, test } from 'vitest'
import { collectAlerts } from '../../support/alerts.ts'
import { answered } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { answer, leaseCalls, processing } from '../../support/items.ts'
import { makePartner } from '../../support/partner.ts'
import { oneValue } from '../../support/sql/one_value.ts'
import { unchecked } from '../../support/sql/transactions.ts'

const { sql, newItem, newEvent, attempt, jobsOf, loseJobs, partner } = itemTests({ isolated: true })

/** Moves all times that the database has recorded ahead: as if its clock went back by so much. */
async function clockGoesBack(interval = '70 minutes'): Promise<void> {
  const columns = await sql()`
    select c.oid::regclass::text as table, array_agg(a.attname::text) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relkind = 'r' and not a.attisdropped and a.atttypid = 'timestamptz'::regtype
      and (c.relnamespace = 'supply'::regnamespace or c.oid = 'graphile_worker._private_jobs'::regclass)
    group by c.oid`
  await unchecked(sql(), async (tx) => {
    for (const { table, columns: names } of columns) {
      const moved = names.map((name: string) => `${name} = ${name} + interval '${interval}'`)
      await tx.unsafe(`update ${table} set ${moved.join(', ')}`)
    }
  })
}

/** Everything that a worker calls for the queue; returns how many plans were moved back. */
async function reconcile(): Promise<number> {
  await sql()`select work.sweep(), work.resume_forgotten(), work.fill_slots()`
  return oneValue(sql()`select work.follow_clock()`)
}

const secondsTo = (table: string, column: string, key: string) =>
  oneValue<number>(
    sql().unsafe(`select extract(epoch from ${column} - now())::float8 from supply.${table} where ${key}`),
  )

beforeEach(async () => {
  await reconcile()
})

describe('after the clock of the database went back', () => {
  test('an item is asked for after its step', async () => {
    const item = await newItem()
    await answer(sql(), item, processing())
    await clockGoesBack()
    expect(await reconcile()).toBeGreaterThan(0)
    expect((await jobsOf(item))[0]?.wait).toBeLessThanOrEqual(1)
    expect(await secondsTo('order_items', 'next_check_at', `id = '${item}'`)).toBeLessThanOrEqual(1)
  })

  test('an item that was never sent is sent at once', async () => {
    const item = await newItem()
    await clockGoesBack('2 minutes')
    expect(await reconcile()).toBeGreaterThan(0)
    expect(await sql()`select method from work.begin_calls(${[item]}, '{}', null)`).toEqual([{ method: 'put' }])
    expect((await jobsOf(item))[0]?.wait).toBeLessThanOrEqual(0)
  })

  test('an item that waits for a place gets it', async () => {
    const item = await newItem()
    await loseJobs(item)
    await sql()`select core.limit_items(${[item]})`
    await clockGoesBack()
    await reconcile()
    await sql()`select work.fill_places()`
    expect((await jobsOf(item))[0]?.wait).toBeLessThanOrEqual(0.1)
  })

  test('a lease ends in its time', async () => {
    const item = await newItem()
    await leaseCalls(sql(), [item])
    await clockGoesBack()
    await reconcile()
    expect(await secondsTo('order_items', 'lease_expires_at', `id = '${item}'`)).toBeLessThanOrEqual(45)
  })

  test('an event waits for its rung and no longer', async () => {
    const event = await newEvent()
    await attempt(event, answered(500))
    await clockGoesBack()
    await reconcile()
    expect(await secondsTo('events', 'next_attempt_at', `id = '${event}'`)).toBeLessThanOrEqual(61)
    expect((await jobsOf(event))[0]?.wait).toBeLessThanOrEqual(61)
  })

  test('a supplier is called, tried and read again in its time', async () => {
    await sql()`
      update supply.suppliers set per_minute = 60, open_since = now(), trial_at = now() + interval '1 minute',
        sync_every = '5 minutes', sync_due_at = now() + interval '5 minutes'`
    await sql()`update supply.supplier_places set free_at = now()`
    await clockGoesBack()
    await reconcile()
    expect(await secondsTo('supplier_places', 'free_at', "supplier = 'first'")).toBeLessThanOrEqual(1)
    expect(await secondsTo('suppliers', 'trial_at', "code = 'first'")).toBeLessThanOrEqual(60)
    expect(await secondsTo('suppliers', 'sync_due_at', "code = 'first'")).toBeLessThanOrEqual(300)
  })

  test('a key that was issued meanwhile works, and one that is to begin later does not', async () => {
    const { accountId } = partner()
    await sql()`select ops.issue_key(${accountId})`
    const later = await oneValue<string>(
      sql()`select max(key_id)::text from ops.api_keys where account_id = ${accountId}`,
    )
    await sql()`update supply.api_keys set starts_at = created_at + interval '1 day' where id = ${later}`
    await clockGoesBack()
    await reconcile()
    const valid = await sql()`
      select core.api_key_is_valid(id, account_id) as valid from supply.api_keys where account_id = ${accountId} order by id`
    expect(valid.map((row) => row.valid)).toEqual([true, false])
  })

  test('a worker that died before that is found to be dead', async () => {
    await sql()`select work.heartbeat('{gone}', 0)`
    await clockGoesBack()
    await reconcile()
    expect(await secondsTo('worker_pools', 'seen_at', "pool_id = 'gone'")).toBeLessThanOrEqual(0)
  })

  test('rows that other transactions have locked stop nothing, and the next call moves their plans', async () => {
    const [locked, free, polled] = [await newItem(), await newItem(), await newItem()]
    for (const item of [locked, free, polled]) await answer(sql(), item, processing())
    await sql()`update supply.suppliers set open_since = now(), trial_at = now() + interval '1 minute'`
    await sql()`insert into supply.supplier_syncs select code from supply.suppliers`
    await sql()`update supply.supplier_syncs set lease_expires_at = now() + interval '1 minute'`
    await sql()`insert into supply.access_tokens (supplier, renewing_until) select code, now() from supply.suppliers`
    await sql()`select work.check_suppliers(5), work.heartbeat('{gone}', 0)`
    await sql()`update supply.supplier_states set unanswered_since = now()`
    await clockGoesBack()
    const ahead = async () => ({
      locked: await secondsTo('order_items', 'next_check_at', `id = '${locked}'`),
      free: await secondsTo('order_items', 'next_check_at', `id = '${free}'`),
      sync: await secondsTo('supplier_syncs', 'lease_expires_at', 'true'),
      token: await secondsTo('access_tokens', 'renewing_until', 'true'),
      state: await secondsTo('supplier_states', 'unanswered_since', 'true'),
      pool: await secondsTo('worker_pools', 'seen_at', "pool_id = 'gone'"),
    })
    const isAhead = expect.toSatisfy((seconds: number) => seconds > 4000)
    const isBack = expect.toSatisfy((seconds: number) => seconds <= 600)
    const holder = await sql().reserve()
    await holder`begin`
    await holder`select ops.poll_now(${polled})`
    await holder`select from supply.order_items where id = ${locked} for update`
    await holder`
      select from supply.suppliers, supply.supplier_syncs, supply.access_tokens, supply.supplier_states,
        supply.worker_pools, supply.supplier_places, supply.api_keys for update`
    await sql().begin(async (on) => {
      await on`set local lock_timeout = '2s'`
      expect(await oneValue(on`select work.follow_clock()`)).toBeGreaterThan(0)
    })
    expect(await ahead()).toEqual({
      ...{ locked: isAhead, free: isBack, sync: isAhead, token: isAhead, state: isAhead, pool: isAhead },
    })
    await holder`rollback`
    holder.release()
    await reconcile()
    expect(await ahead()).toEqual({
      ...{ locked: isBack, free: isBack, sync: isBack, token: isBack, state: isBack, pool: isBack },
    })
  })

  test('operators are alerted once, with the size of the step', async () => {
    const item = await newItem()
    await answer(sql(), item, processing())
    await clockGoesBack()
    await reconcile()
    expect(await reconcile()).toBe(0)
    await collectAlerts(sql())
    const alerts = await sql()`select message from supply.alerts where kind = 'clock_went_back'`
    expect(alerts).toHaveLength(1)
    expect(alerts[0]?.message).toMatch(/went back by about 4(19\d|20\d) s: \d+ plans/)
  })
})

test('plans of their usual length stay, also the longest', async () => {
  await makePartner(sql())
  const item = await newItem()
  await answer(sql(), item, { ...processing(), retryAfter: 3_600 } as never)
  const event = await newEvent()
  await sql()`update supply.events set state = 'waiting', attempts = 8, next_attempt_at = now() + interval '1 day', lease_expires_at = null
    where id = ${event}`
  expect(await reconcile()).toBe(0)
})
