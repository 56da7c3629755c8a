import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import {
  answered,
  finishAttempt,
  leaseAttempt,
  leaseAttempts,
  makeEvent,
  makeEvents,
} from '../../support/events.ts'
import { answer, completed, failed, leaseCalls, notReceived, record, unknown } from '../../support/items.ts'
import { lastLogged, refusals } from '../../support/operator.ts'
import { audit, balanceOf, place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'

let database: TestDatabase
let operator: postgres.Sql
let sql: postgres.Sql
let partner: Partner

beforeEach(async () => {
  database = await createTestDatabase()
  sql = database.sql
  operator = postgres(database.url, { max: 1, onnotice: () => {}, connection: { role: 'supply_operator' } })
  await makeCatalog(sql, { url: 'http://127.0.0.1:9', token: 'token' })
  partner = await makePartner(sql)
})

afterEach(async () => {
  await operator.end({ timeout: 1 })
  await database.drop()
})

const begin = async () => {
  const [counts] = await operator`select * from ops.begin_recovery('the dump of Monday')`
  return { items: Number(counts?.items_to_ask), events: Number(counts?.events_held) }
}

const end = () => operator`select ops.end_recovery()`

const release = async (account: number | null, before: Date | null, dryRun: boolean) => {
  const [row] = await operator`select ops.release_events(${account}, ${before}, ${dryRun}) as count`
  return Number(row?.count)
}

/** The latest recovery, as operators see it. */
const recovery = async () => {
  const [row] = await operator`select *, ended_at is null as is_open from ops.recovery limit 1`
  return {
    isOpen: row?.is_open,
    items: Number(row?.items_to_ask),
    events: Number(row?.events_held),
    accounts: Number(row?.accounts_held),
  }
}

const stateOf = async (event: string) => {
  const [row] = await operator`select state from ops.events where event_id = ${event}`
  return row?.state
}

const jobsOf = async (subject: string) => {
  const rows = await operator`select task from ops.queue where subject = ${subject}`
  return rows.map(({ task }) => task)
}

async function newItem(callbackUrl?: string): Promise<string> {
  const { body } = await place(sql, partner, callbackUrl === undefined ? {} : { callbackUrl })
  return body.items[0]?.id ?? ''
}

describe('after a restore, a supplier', () => {
  test('is asked for an item before it is sent, and gets it if it does not know it', async () => {
    const item = await newItem()
    expect(await begin()).toEqual({ items: 1, events: 0 })
    const [call] = await leaseCalls(sql, [item])
    expect(call).toMatchObject({ item_id: item, method: 'get' })
    expect(await record(sql, call as never, notReceived())).toBe('waiting')
    expect(await leaseCalls(sql, [item])).toMatchObject([{ item_id: item, method: 'put' }])
  })

  test('settles what it had delivered after the back-up', async () => {
    const item = await newItem()
    await begin()
    expect(await answer(sql, item, completed())).toBe('settled')
    expect(await balanceOf(sql, partner)).toBe(989.5)
    expect(await audit(sql)).toEqual([])
  })

  test('is asked for an item that the last one has no stock for before that is sent to it', async () => {
    const { body } = await place(sql, partner)
    const item = body.items[0]?.id ?? ''
    await begin()
    // Its second supplier is found only now: before, nobody knew whether it may be there.
    const [call] = await leaseCalls(sql, [item])
    await operator`select ops.upsert_supplier('second', 'http://127.0.0.1:9', 'token')`
    await operator`select ops.upsert_offer(${products.topUp}, 'second', 'sku')`
    expect(await record(sql, call as never, failed({ errorCode: 'OUT_OF_STOCK' }))).toBe('next_supplier')
    const [next] = await leaseCalls(sql, [item])
    expect(next).toMatchObject({ supplier: 'second', method: 'get' })
    expect(await record(sql, next as never, notReceived())).toBe('waiting')
    expect(await leaseCalls(sql, [item])).toMatchObject([{ supplier: 'second', method: 'put' }])
  })

  test('does not get an item that another one may have, until an operator has looked', async () => {
    await operator`select ops.upsert_supplier('second', 'http://127.0.0.1:9', 'token')`
    await operator`select ops.upsert_offer(${products.topUp}, 'second', 'sku', priority => 200)`
    const item = await newItem()
    await begin()
    await expect(operator`select ops.send_item(${item})`).rejects.toMatchObject(refusals.wrongState)
    expect(await answer(sql, item, notReceived())).toBe('held')
    expect(await operator`select held_reason from ops.stuck_items where item_id = ${item}`).toEqual([
      { held_reason: 'after a restore first does not know it; another supplier may have it' },
    ])
    expect(await audit(sql)).toEqual([])
    await operator`select ops.send_item(${item})`
    expect(await lastLogged(sql)).toMatchObject({ action: 'send_item', detail: { supplier: 'first' } })
    expect(await jobsOf(item)).toEqual(['call_supplier'])
    expect(await leaseCalls(sql, [item])).toMatchObject([{ supplier: 'first', method: 'put' }])
  })

  test('settles an item that was held for another one', async () => {
    await operator`select ops.upsert_supplier('second', 'http://127.0.0.1:9', 'token')`
    await operator`select ops.upsert_offer(${products.topUp}, 'second', 'sku', priority => 200)`
    const item = await newItem()
    await begin()
    await answer(sql, item, notReceived())
    await operator`select ops.settle_item(${item}, 'completed')`
    await end()
    expect(await audit(sql)).toEqual([])
  })

  test('gets a new order at once', async () => {
    await begin()
    const item = await newItem()
    expect(await leaseCalls(sql, [item])).toMatchObject([{ method: 'put' }])
  })

  test("has its late answer to the lost process's call refused, and the call repeated as a question", async () => {
    const item = await newItem()
    const [call] = await leaseCalls(sql, [item])
    await begin()
    expect(await record(sql, call as never, failed())).toBe('stale')
    const [again] = await sql`select * from work.begin_calls(${[item]}, '{}', null)`
    expect(again).toMatchObject({ method: 'get' })
  })
})

describe('after a restore, events', () => {
  test('are held in whatever state they are, without a job, until they are released', async () => {
    const [fresh = '', sending = '', waiting = ''] = await makeEvents(sql, partner, 3)
    const attempt = await leaseAttempt(sql, sending)
    const lost = await leaseAttempt(sql, waiting)
    await finishAttempt(sql, lost, answered(500))
    expect(await begin()).toEqual({ items: 0, events: 3 })
    expect(await recovery()).toEqual({ isOpen: true, items: 0, events: 3, accounts: 1 })
    for (const event of [fresh, sending, waiting]) {
      expect(await stateOf(event)).toBe('held')
      expect(await jobsOf(event)).toEqual([])
    }
    // A worker that was not stopped has it under way, and another fetched the job before.
    expect(await finishAttempt(sql, attempt, answered(200))).toBe('stale')
    expect(await sql`select * from work.begin_deliveries(${[fresh, waiting]})`).toEqual([])
    await expect(operator`select ops.deliver_now(${fresh})`).rejects.toMatchObject(refusals.wrongState)
    expect(await audit(sql)).toEqual([])

    expect(await release(null, null, true)).toBe(3)
    expect(await stateOf(fresh)).toBe('held')
    expect(await release(null, null, false)).toBe(3)
    expect(await lastLogged(sql)).toMatchObject({ action: 'release_events', subject: 'all accounts' })
    const attempts = await leaseAttempts(sql, [fresh, sending, waiting])
    expect(attempts.map((each) => [each.event_id, each.attempt])).toEqual([
      [fresh, 1],
      [sending, 2],
      [waiting, 2],
    ])
    await end()
    expect(await audit(sql)).toEqual([])
  })

  test('are released by account and by time', async () => {
    const other = await makePartner(sql)
    const [early = '', late = ''] = await makeEvents(sql, partner, 2)
    const others = await makeEvent(sql, other)
    await sql`update supply.events set created_at = created_at - interval '1 hour' where id = ${early}`
    await begin()
    const halfAnHourAgo = new Date(Date.now() - 30 * 60_000)
    expect(await release(partner.accountId, halfAnHourAgo, false)).toBe(1)
    expect(await Promise.all([early, late, others].map(stateOf))).toEqual(['waiting', 'held', 'held'])
    expect(await release(other.accountId, null, false)).toBe(1)
    expect(await Promise.all([early, late, others].map(stateOf))).toEqual(['waiting', 'held', 'waiting'])
    await expect(release(987_654, null, false)).rejects.toMatchObject(refusals.unknown)
  })

  test('of orders that were open are held as they are made; those of new orders are not', async () => {
    const item = await newItem('https://hooks.example/x')
    await begin()
    await answer(sql, item, completed())
    const made = await makeEvent(sql, partner)
    const [old] = await operator`
      select event_id, state from ops.events e join ops.order_items i using (order_code) where i.item_id = ${item}`
    expect(old?.state).toBe('held')
    expect(await jobsOf(old?.event_id)).toEqual([])
    expect(await stateOf(made)).toBe('waiting')
    expect(await leaseAttempt(sql, made)).toMatchObject({ attempt: 1 })
    expect(await audit(sql)).toEqual([])
  })

  test('that had their ninth attempt under way are dead letters', async () => {
    const event = await makeEvent(sql, partner)
    for (let n = 1; n < 9; n += 1) await finishAttempt(sql, await leaseAttempt(sql, event), answered(500))
    await leaseAttempt(sql, event)
    expect(await begin()).toEqual({ items: 0, events: 0 })
    expect(await operator`select reason from ops.dead_letters`).toEqual([{ reason: 'attempts_exhausted' }])
    expect(await audit(sql)).toEqual([])
  })
})

describe('a recovery', () => {
  test('is begun once, is logged, and ends when all was asked for and released', async () => {
    await expect(end()).rejects.toMatchObject(refusals.wrongState)
    await expect(operator`select ops.begin_recovery('')`).rejects.toMatchObject(refusals.wrongArgument)
    const item = await newItem('https://hooks.example/x')
    await begin()
    expect(await lastLogged(sql)).toMatchObject({
      action: 'begin_recovery',
      detail: { note: 'the dump of Monday', items: 1, events: 0 },
    })
    await expect(begin()).rejects.toMatchObject(refusals.wrongState)

    await expect(end()).rejects.toThrow('the suppliers of 1 items have not answered yet')
    expect(await operator`select to_ask from ops.order_items where item_id = ${item}`).toEqual([
      { to_ask: true },
    ])
    await answer(sql, item, unknown())
    await expect(end()).rejects.toThrow('the suppliers of 1 items have not answered yet')
    await answer(sql, item, completed())
    await expect(end()).rejects.toThrow('1 events are held')
    await release(null, null, false)
    await end()
    expect(await lastLogged(sql)).toMatchObject({ action: 'end_recovery' })
    expect(await recovery()).toEqual({ isOpen: false, items: 0, events: 0, accounts: 0 })
    expect(await audit(sql)).toEqual([])
    expect(await begin()).toEqual({ items: 0, events: 1 })
  })

  test('frees at once what the earlier processes hold', async () => {
    const item = await newItem()
    await sql`
      update graphile_worker._private_jobs set locked_by = 'gone', locked_at = now() where payload ->> 'id' = ${item}`
    await sql`select work.register_pool('gone')`
    await sql`update supply.worker_pools set seen_at = now() - interval '11 s'`
    await begin()
    expect(await operator`select locked_by from ops.queue where subject = ${item}`).toEqual([
      { locked_by: null },
    ])
    expect(await operator`select * from ops.worker_pools`).toEqual([])
    expect(await sql`select method from work.begin_calls(${[item]}, '{}', null)`).toEqual([{ method: 'get' }])
  })
})

describe('a worker may', () => {
  const refusal = async (of: postgres.Sql = sql) => {
    const [row] = await of`select work.check_origin() as refusal`
    return row?.refusal
  }

  test('start where it ran before, also after a failover', async () => {
    expect(await refusal()).toBeNull()
    expect(await refusal()).toBeNull()
    await sql`update supply.origin set timeline = '000000FF'`
    expect(await refusal()).toBeNull()
  })

  test('not start on a copy until an operator has said what it is', async () => {
    await refusal()
    await sql.end({ timeout: 1 })
    const copy = await createTestDatabase({ from: database.name })
    const other = await createTestDatabase({ from: database.name })
    try {
      expect(await refusal(copy.sql)).toContain('was restored or copied')
      await copy.sql`select ops.begin_recovery('a copy')`
      expect(await refusal(copy.sql)).toBeNull()
      expect(await refusal(other.sql)).toContain('was restored or copied')
      await other.sql`select ops.confirm_origin()`
      expect(await refusal(other.sql)).toBeNull()
      expect(await lastLogged(other.sql)).toMatchObject({ action: 'confirm_origin' })
    } finally {
      await copy.drop()
      await other.drop()
    }
  })

  test('start on a back-up that was taken during a recovery once a new one has superseded that', async () => {
    await refusal()
    await begin()
    await Promise.all([sql.end({ timeout: 1 }), operator.end({ timeout: 1 })])
    const copy = await createTestDatabase({ from: database.name })
    try {
      expect(await refusal(copy.sql)).toContain('was restored or copied')
      await copy.sql`select ops.begin_recovery('the back-up of Tuesday')`
      expect(await refusal(copy.sql)).toBeNull()
      const recoveries =
        await copy.sql`select note, ended_at is null as is_open from supply.recoveries order by id`
      expect([...recoveries]).toEqual([
        { note: 'the dump of Monday', is_open: false },
        { note: 'the back-up of Tuesday', is_open: true },
      ])
      await expect(copy.sql`select ops.begin_recovery('again')`).rejects.toMatchObject(refusals.wrongState)
    } finally {
      await copy.drop()
    }
  })
})
