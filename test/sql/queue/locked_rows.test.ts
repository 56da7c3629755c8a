import type postgres from 'postgres'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { answered, beginDeliveries, finishAttempts } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import { type Call, completed, failed, finishCalls, leaseCalls, processing } from '../../support/items.ts'
import { audit, balanceOf } from '../../support/orders.ts'
import { makePartner } from '../../support/partner.ts'
import { makeStock } from '../../support/stock.ts'

// While another transaction has the lock of one row, no worker waits for it.
const { sql, partner, order, newEvent, newEvents, eventsOf, jobsOf, loseJobs } = itemTests({ balance: 100 })
let holder: postgres.ReservedSql

beforeEach(async () => {
  holder = await sql().reserve()
  await holder`begin`
})
afterEach(async () => {
  await holder`rollback`
  holder.release()
  expect(await audit(sql())).toEqual([])
})

const otherPartner = () => makePartner(sql(), { balance: 100 })
const newOrder = (of = partner()) => order({ callbackUrl: 'https://partner.example/hook' }, of)
const lockAccount = () => holder`select from supply.accounts where id = ${partner().accountId} for update`
const lockItem = (item: string) => holder`select from supply.order_items where id = ${item} for update`
const lockOrder = (item: string) => holder`
  select from supply.orders where id = (select order_id from supply.order_items where id = ${item}) for update`
const lockEvent = (event: string) => holder`select from supply.events where id = ${event} for update`
const triedAgainSoon = [{ attempts: 0, delay: expect.toSatisfy((seconds: number) => seconds > 0 && seconds <= 1) }]

const finish = async (calls: Call[], result: object) => (await finishCalls(sql(), calls, result)).verdicts

test('begin_calls tries the call of a locked item again soon, and begins the others', async () => {
  const [locked, other] = [(await newOrder()).item, (await newOrder()).item]
  await loseJobs(locked, other)
  await lockItem(locked)
  const begin = () => sql()<Call[]>`select * from work.begin_calls(${[locked, other]}, '{}', null) order by ordinal`
  expect(await begin()).toMatchObject([{ ordinal: 2, item_id: other, method: 'put' }])
  expect(await jobsOf(locked)).toMatchObject(triedAgainSoon)
  await holder`rollback`
  expect(await begin()).toMatchObject([{ ordinal: 1, item_id: locked, method: 'put' }])
})

test.each([
  ['item', lockItem],
  ['order', lockOrder],
  ['account, which is refunded,', lockAccount],
])('finish_calls answers busy for a call whose %s is locked, and records the others', async (_, lock) => {
  const locked = await newOrder()
  const other = await newOrder(await otherPartner())
  const calls = await leaseCalls(sql(), [locked.item, other.item])
  await lock(locked.item)
  expect(await finish(calls, failed())).toEqual(['busy', 'settled'])
  expect(await finish(calls.slice(0, 1), failed())).toEqual(['busy'])
  await holder`rollback`
  expect(await finish(calls, failed())).toEqual(['settled', 'repeated'])
  expect(await balanceOf(sql(), partner())).toBe(100)
})

test('finish_calls needs the account of a completed item only for an event', async () => {
  const [announced, silent, open] = [await newOrder(), await order(), await newOrder()]
  const calls = await leaseCalls(sql(), [announced.item, silent.item, open.item])
  await lockAccount()
  expect(await finish(calls.slice(0, 2), completed())).toEqual(['busy', 'settled'])
  expect(await finish(calls.slice(2), processing())).toEqual(['waiting'])
})

test('finish_calls queues an event when the slots of its account are locked', async () => {
  await finish(await leaseCalls(sql(), [(await newOrder()).item]), completed())
  const second = await newOrder()
  const calls = await leaseCalls(sql(), [second.item])
  await holder`select from supply.delivery_slots where account_id = ${partner().accountId} for update`
  expect(await finish(calls, completed())).toEqual(['settled'])
  expect(await eventsOf(second.code)).toMatchObject([{ state: 'queued' }])
  await holder`rollback`
  await sql()`select work.fill_slots()`
  expect(await eventsOf(second.code)).toMatchObject([{ state: 'ready' }])
})

const begin = (ids: string[]) => beginDeliveries(sql(), ids)

test.each([
  ['an event that is locked', lockEvent, partner],
  ['the first event of an account that is locked, so that its secret cannot be written,', lockAccount, otherPartner],
])('begin_deliveries tries %s again soon, and begins the others', async (_, lock, ofOther) => {
  const locked = await newEvent()
  const ids = [locked, await newEvent(await ofOther())]
  await loseJobs(...ids)
  await lock(locked)
  expect(await begin(ids)).toMatchObject([{ event_id: ids[1], attempt: 1 }])
  expect(await jobsOf(locked)).toMatchObject(triedAgainSoon)
  await holder`rollback`
  expect(await begin(ids)).toMatchObject([{ event_id: ids[0], attempt: 1 }])
})

test('finish_deliveries answers busy for a locked event, and records the others', async () => {
  const ids = await newEvents(2)
  await loseJobs(...ids)
  const attempts = [...(await begin(ids))]
  const finishAll = () => finishAttempts(sql(), attempts, answered(200))
  await lockEvent(ids[0] ?? '')
  expect(await finishAll()).toEqual(['busy', 'delivered'])
  expect(await finishAll()).toEqual(['busy', 'stale'])
  await holder`rollback`
  expect(await finishAll()).toEqual(['delivered', 'stale'])
})

test('the result of a simulated order, a shared access token and the states of suppliers wait for no row', async () => {
  const id = crypto.randomUUID()
  await sql()`
    insert into supply.simulated_orders
      (id, account_id, code, idempotency_key, external_order_id, request_items, parts, total_amount, currency, due_at)
    values (${id}, ${partner().accountId}, ${`sim_${id.replaceAll('-', '')}`}, 'x', 'x', '[]', '{}', 1, 'RUB', now())`
  await sql()`insert into supply.access_tokens (supplier) select code from supply.suppliers`
  await sql()`select work.check_suppliers(5)`
  await holder`select from supply.simulated_orders, supply.access_tokens, supply.supplier_states for update`
  await sql().begin(async (on) => {
    await on`set local lock_timeout = '2s'`
    await on`select work.settle_simulated_order(${id})`
    expect(await on`select work.take_access_token(code, ${id}, null) from supply.suppliers`).toHaveLength(0)
    await on`select work.check_suppliers(6)`
  })
  expect(await jobsOf(id)).toMatchObject(triedAgainSoon)
  await holder`rollback`
  await sql()`delete from supply.simulated_orders`
})

test("an operator's open transaction holds no job that a worker has", async () => {
  const { item } = await newOrder()
  await finish(await leaseCalls(sql(), [item]), processing())
  const jobs = sql()`graphile_worker._private_jobs where payload ->> 'id' = ${item}`
  await sql()`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'a pool' where payload ->> 'id' = ${item}`
  await holder`set role supply_operator`
  await holder`select ops.poll_now(${item})`
  // A worker ends its jobs in one statement with those of other items.
  expect(await sql()`select from ${jobs} for update skip locked`).toHaveLength(1)
  await holder`commit`
  await holder`reset role`
  expect(
    await sql()`select key is null as is_new, run_at <= now() as is_due from ${jobs} and locked_at is null`,
  ).toEqual([{ is_new: true, is_due: true }])
  await sql()`delete from graphile_worker._private_jobs where locked_by = 'a pool'`
})

test('no periodic function waits for a row of a partner, a product or a supplier', async () => {
  const [delivered = '', waiting = ''] = await newEvents(2)
  await begin([waiting])
  await sql()`select ops.deliver_all(${partner().accountId})`
  await finishAttempts(sql(), await begin([delivered]), answered(200))
  await sql()`select ops.upsert_offer(102, 'first', 'sku-102', cost => 9, currency => 'EUR')`
  await sql()`insert into supply.rates (from_currency, to_currency, rate, valid_until) values ('EUR', 'RUB', 1, now())`
  // Without a code its offer is unavailable, which nobody noted yet.
  await makeStock(sql())
  const [ended] = await leaseCalls(sql(), [(await newOrder()).item])
  await holder`select from supply.result_marks for update`
  await finish([ended as Call], completed())
  await holder`rollback`
  const tables = await sql()`
    select relname as name from pg_class where relnamespace = 'supply'::regnamespace and relkind = 'r'
      and relname not in ('periodic_tasks', 'worker_pools', 'housekeeping', 'rates')`
  const functions = await sql()`
    select proname as name from pg_proc where pronamespace = 'work'::regnamespace and pronargs = 0`
  const waited: string[] = []
  const callEach = async (held: string, names: string[]) => {
    const undone = sql().begin(async (on) => {
      await on`set local lock_timeout = '2s'`
      // Each as if it were alone in its transaction.
      await on.unsafe(names.map((name) => `savepoint s; select work.${name}(); rollback to s`).join(';'))
      throw new Error('undone')
    })
    await undone.catch(({ message, where }) => message === 'undone' || waited.push(`${held}: ${message} ${where}`))
  }
  const names = functions.map(({ name }) => name)
  for (const { name } of tables) {
    await holder`begin`
    const rows = await holder`select from supply.${sql()(name)} for update`
    // The audit only reads, for long.
    if (rows.length > 0)
      await callEach(
        name,
        names.filter((other) => other !== 'run_audit'),
      )
    await holder`rollback`
  }
  await holder`begin`
  for (const { name } of tables) await holder`select from supply.${sql()(name)} for update`
  for (const name of names) await callEach('all', [name])
  expect(waited).toEqual([])
  await holder`rollback`
  await sql()`select work.fill_slots()`
  expect(await sql()`select from supply.delivery_trials where released_to is null`).toEqual([])
  await sql()`select work.expire_rates()`
  expect(await sql()`select is_end_noted from supply.rates`).toEqual([{ is_end_noted: true }])
})

test('a cancellation and a redelivery give up a connection of the API soon', async () => {
  const { item } = await newOrder()
  const [placed] = await sql()`select order_code from ops.order_items where item_id = ${item}`
  const event = await newEvent()
  await lockAccount()
  await lockEvent(event)
  const waited = expect.objectContaining({ code: '55P03' })
  const { accountId } = partner()
  await expect(sql()`select api.cancel_order(${accountId}, ${placed?.order_code})`).rejects.toEqual(waited)
  await expect(sql()`select api.redeliver_event(${accountId}, null, ${event})`).rejects.toEqual(waited)
})
