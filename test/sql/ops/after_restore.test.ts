import type postgres from 'postgres'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../support/database.ts'
import { answered, beginDeliveries, finishAttempt, leaseAttempt, leaseAttempts } from '../../support/events.ts'
import { itemTests } from '../../support/item_tests.ts'
import {
  answer,
  completed,
  failed,
  finishCalls,
  leaseCalls,
  notReceived,
  processing,
  record,
  unknown,
} from '../../support/items.ts'
import { lastLogged, refusals } from '../../support/operator.ts'
import { balanceOf } from '../../support/orders.ts'
import { makePartner, products } from '../../support/partner.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const { sql, operator, partner, order, newItem, newEvent, newEvents, attempt, jobsOf } = itemTests({
  audited: true,
  isolated: true,
})

const begin = async () => {
  const [counts] = await operator()`select * from ops.begin_recovery('the dump of Monday')`
  return { items: Number(counts?.items_to_ask), events: Number(counts?.events_held) }
}

const end = () => operator()`select ops.end_recovery()`

const release = async (account: number | null = null, before: Date | null = null, dryRun = false) =>
  Number(await oneValue(operator()`select ops.release_events(${account}, ${before}, ${dryRun})`))

/** The latest recovery, as operators see it. */
const recovery = async () => {
  const [row] = await operator()`
    select ended_at is null as is_open, items_to_ask::int as items, events_held::int as events,
      accounts_held::int as accounts
    from ops.recovery limit 1`
  return row
}

const stateOf = (event: string) => oneValue(operator()`select state from ops.events where event_id = ${event}`)

const tasksOf = async (subject: string) => (await jobsOf(subject)).map(({ task }) => task)

const orderWithWebhook = async () => (await order({ callbackUrl: 'https://hooks.example/x' })).item

/** Adds a second supplier for the product, which comes after the first. */
async function addSecond(): Promise<void> {
  await operator()`select ops.upsert_supplier('second', 'http://127.0.0.1:9', 'token')`
  await operator()`select ops.upsert_offer(${products.topUp}, 'second', 'sku', priority => 200)`
}

describe('after a restore, a supplier', () => {
  test('is asked for an item before it is sent, and gets it if it does not know it', async () => {
    const item = await newItem()
    expect(await begin()).toEqual({ items: 1, events: 0 })
    const [call] = await leaseCalls(sql(), [item])
    expect(call).toMatchObject({ item_id: item, method: 'get' })
    expect(await record(sql(), call as never, notReceived())).toBe('waiting')
    expect(await leaseCalls(sql(), [item])).toMatchObject([{ item_id: item, method: 'put' }])
  })

  test('that had delivered it after the back-up settles it', async () => {
    const item = await newItem()
    await begin()
    expect(await answer(sql(), item, completed())).toBe('settled')
    expect(await balanceOf(sql(), partner())).toBe(989.5)
  })

  test('is asked for an item that the last one has no stock for before that is sent to it', async () => {
    const item = await newItem()
    await begin()
    // Its second supplier is found only now: before, nobody knew whether it may be there.
    const [call] = await leaseCalls(sql(), [item])
    await addSecond()
    expect(await record(sql(), call as never, failed({ errorCode: 'OUT_OF_STOCK' }))).toBe('next_supplier')
    const [next] = await leaseCalls(sql(), [item])
    expect(next).toMatchObject({ supplier: 'second', method: 'get' })
    expect(await record(sql(), next as never, notReceived())).toBe('waiting')
    expect(await leaseCalls(sql(), [item])).toMatchObject([{ supplier: 'second', method: 'put' }])
  })

  test('does not get an item that another one may have, until an operator has looked', async () => {
    await addSecond()
    const item = await newItem()
    await begin()
    await expect(operator()`select ops.send_item(${item})`).rejects.toMatchObject(refusals.wrongState)
    expect(await answer(sql(), item, notReceived())).toBe('held')
    expect(await operator()`select held_reason from ops.stuck_items where item_id = ${item}`).toEqual([
      { held_reason: 'after a restore first does not know it; another supplier may have it' },
    ])
    await operator()`select ops.send_item(${item})`
    expect(await lastLogged(sql())).toMatchObject({ action: 'send_item', detail: { supplier: 'first' } })
    expect(await tasksOf(item)).toEqual(['call_supplier'])
    expect(await leaseCalls(sql(), [item])).toMatchObject([{ supplier: 'first', method: 'put' }])
  })

  test('gets a new order at once', async () => {
    await begin()
    const item = await newItem()
    expect(await leaseCalls(sql(), [item])).toMatchObject([{ method: 'put' }])
  })

  test("has its late answer to the lost process's call refused, and the call repeated as a question", async () => {
    const item = await newItem()
    const [call] = await leaseCalls(sql(), [item])
    await begin()
    expect(await record(sql(), call as never, failed())).toBe('stale')
    const [again] = await sql()`select * from work.begin_calls(${[item]}, '{}', null)`
    expect(again).toMatchObject({ method: 'get' })
  })
})

describe('after a restore, events', () => {
  test('are held in whatever state they are, without a job, until they are released', async () => {
    const [fresh = '', sending = '', waiting = ''] = await newEvents(3)
    const leased = await leaseAttempt(sql(), sending)
    await attempt(waiting, answered(500))
    expect(await begin()).toEqual({ items: 0, events: 3 })
    expect(await recovery()).toEqual({ is_open: true, items: 0, events: 3, accounts: 1 })
    for (const event of [fresh, sending, waiting]) {
      expect(await stateOf(event)).toBe('held')
      expect(await tasksOf(event)).toEqual([])
    }
    // A worker that was not stopped has it under way, and another fetched the job before.
    expect(await finishAttempt(sql(), leased, answered(200))).toBe('stale')
    expect(await beginDeliveries(sql(), [fresh, waiting])).toEqual([])
    await expect(operator()`select ops.deliver_now(${fresh})`).rejects.toMatchObject(refusals.wrongState)

    expect(await release(null, null, true)).toBe(3)
    expect(await stateOf(fresh)).toBe('held')
    expect(await release()).toBe(3)
    expect(await lastLogged(sql())).toMatchObject({ action: 'release_events', subject: 'all accounts' })
    const attempts = await leaseAttempts(sql(), [fresh, sending, waiting])
    expect(attempts.map((each) => [each.event_id, each.attempt])).toEqual([
      [fresh, 1],
      [sending, 2],
      [waiting, 2],
    ])
    await end()
  })

  test('are released by account and by time', async () => {
    const other = await makePartner(sql())
    const [early = '', late = ''] = await newEvents(2)
    const others = await newEvent(other)
    await sql()`update supply.events set created_at = created_at - interval '1 hour' where id = ${early}`
    await begin()
    const halfAnHourAgo = new Date(Date.now() - 30 * 60_000)
    expect(await release(partner().accountId, halfAnHourAgo)).toBe(1)
    expect(await Promise.all([early, late, others].map(stateOf))).toEqual(['waiting', 'held', 'held'])
    expect(await release(other.accountId)).toBe(1)
    expect(await Promise.all([early, late, others].map(stateOf))).toEqual(['waiting', 'held', 'waiting'])
  })

  test('of orders that were open are held as they are made; those of new orders are not', async () => {
    const item = await orderWithWebhook()
    await begin()
    await answer(sql(), item, completed())
    const made = await newEvent()
    const [old] = await operator()`
      select event_id, e.state from ops.events e join ops.order_items i using (order_code) where i.item_id = ${item}`
    expect(old?.state).toBe('held')
    expect(await tasksOf(old?.event_id)).toEqual([])
    expect(await stateOf(made)).toBe('waiting')
    expect(await leaseAttempt(sql(), made)).toMatchObject({ attempt: 1 })
  })

  test('of orders that end while the recovery does wait for nothing, and are sent', async () => {
    const item = await orderWithWebhook()
    await begin()
    expect(await answer(sql(), item, processing())).toBe('waiting')
    const calls = await leaseCalls(sql(), [item])
    const operators = await operator().reserve()
    await operators`begin`
    await operators`select ops.end_recovery()`
    await sql().begin(async (on) => {
      await on`set local lock_timeout = '2s'`
      expect((await finishCalls(on, calls, completed())).verdicts).toEqual(['settled'])
    })
    await operators`commit`
    operators.release()
    const states = () => sql()`
      select e.state from supply.events e join supply.order_items i using (order_id) where i.id = ${item}`
    await sql()`select work.fill_slots()`
    expect(await states()).toEqual([{ state: 'ready' }])
  })

  test('that had their ninth attempt under way are dead letters', async () => {
    const event = await newEvent()
    for (let n = 1; n < 9; n += 1) await attempt(event, answered(500))
    await leaseAttempt(sql(), event)
    expect(await begin()).toEqual({ items: 0, events: 0 })
    expect(await operator()`select reason from ops.dead_letters`).toEqual([{ reason: 'attempts_exhausted' }])
  })
})

describe('a recovery', () => {
  test('is begun once, is logged, and ends when all was asked for and released', async () => {
    await expect(end()).rejects.toMatchObject(refusals.wrongState)
    const item = await orderWithWebhook()
    await begin()
    const detail = { note: 'the dump of Monday', items: 1, events: 0 }
    expect(await lastLogged(sql())).toMatchObject({ action: 'begin_recovery', detail })
    await expect(begin()).rejects.toMatchObject(refusals.wrongState)

    await expect(end()).rejects.toThrow('the suppliers of 1 items have not answered yet')
    expect(await operator()`select to_ask from ops.order_items where item_id = ${item}`).toEqual([{ to_ask: true }])
    await answer(sql(), item, unknown())
    await expect(end()).rejects.toThrow('the suppliers of 1 items have not answered yet')
    await answer(sql(), item, completed())
    await expect(end()).rejects.toThrow('1 events are held')
    await release()
    await end()
    expect(await lastLogged(sql())).toMatchObject({ action: 'end_recovery' })
    expect(await recovery()).toEqual({ is_open: false, items: 0, events: 0, accounts: 0 })
    expect(await begin()).toEqual({ items: 0, events: 1 })
  })

  test('frees at once what the earlier processes hold', async () => {
    const item = await newItem()
    await sql()`
      update graphile_worker._private_jobs set locked_by = 'gone', locked_at = now() where payload ->> 'id' = ${item}`
    await sql()`select work.heartbeat(array['gone'], 0)`
    await sql()`update supply.worker_pools set seen_at = now() - interval '11 s'`
    await begin()
    // It waits for a place at its supplier instead of having a job.
    expect(await operator()`select from ops.queue where subject = ${item}`).toEqual([])
    await sql()`select work.fill_places()`
    expect(await operator()`select locked_by from ops.queue where subject = ${item}`).toEqual([{ locked_by: null }])
    expect(await operator()`select * from ops.worker_pools`).toEqual([])
    expect(await sql()`select method from work.begin_calls(${[item]}, '{}', null)`).toEqual([{ method: 'get' }])
  })
})

describe('check_origin lets a worker start', () => {
  const refusal = (of: postgres.Sql) => oneValue<string | null>(of`select work.check_origin()`)

  /** Copies a database in which a worker ran, and then perhaps something else. */
  async function copies(
    count: number,
    then: (original: postgres.Sql) => PromiseLike<unknown> = async () => {},
  ): Promise<postgres.Sql[]> {
    const original = await createTestDatabase()
    onTestFinished(original.drop)
    expect(await refusal(original.sql)).toBeNull()
    await then(original.sql)
    await original.sql.end({ timeout: 1 })
    const made: postgres.Sql[] = []
    for (let n = 0; n < count; n += 1) {
      const copy = await createTestDatabase({ from: original.name })
      onTestFinished(copy.drop)
      expect(await refusal(copy.sql)).toContain('was restored or copied')
      made.push(copy.sql)
    }
    return made
  }

  test('where it ran before, also after a failover', async () => {
    expect(await refusal(sql())).toBeNull()
    expect(await refusal(sql())).toBeNull()
    await sql()`update supply.origin set timeline = '000000FF'`
    expect(await refusal(sql())).toBeNull()
  })

  test('on a copy only after an operator has begun a recovery or confirmed the origin', async () => {
    const [copy = sql(), other = sql()] = await copies(2)
    await copy`select ops.begin_recovery('a copy')`
    expect(await refusal(copy)).toBeNull()
    await other`select ops.confirm_origin()`
    expect(await refusal(other)).toBeNull()
    expect(await lastLogged(other)).toMatchObject({ action: 'confirm_origin' })
  })

  test('on a back-up that was taken during a recovery only after a new recovery has begun', async () => {
    const [copy = sql()] = await copies(1, (original) => original`select ops.begin_recovery('the dump of Monday')`)
    await copy`select ops.begin_recovery('the back-up of Tuesday')`
    expect(await refusal(copy)).toBeNull()
    expect(await copy`select note, ended_at is null as is_open from supply.recoveries order by id`).toEqual([
      { note: 'the dump of Monday', is_open: false },
      { note: 'the back-up of Tuesday', is_open: true },
    ])
    await expect(copy`select ops.begin_recovery('again')`).rejects.toMatchObject(refusals.wrongState)
  })
})
