import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { answered, finishAttempt, makeEvent } from '../../support/events.ts'
import { completed, leaseCalls, record } from '../../support/items.ts'
import { audit, place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../../support/partner.ts'

// What a pool had in hand is free as soon as its death is known, and not only when its leases run out.
const database = testDatabase()
const sql = () => database.sql
let partner: Partner
let count = 0
let pool = ''

beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' }))
beforeEach(async () => {
  partner = await makePartner(sql())
  count += 1
  pool = `pool-${count}`
})

/** Has a pool take the waiting job of an event or an item. */
async function takeJob(subject: string, poolId = pool): Promise<void> {
  await sql()`
    update graphile_worker._private_jobs set locked_by = ${poolId}, locked_at = now(), attempts = attempts + 1
    where payload ->> 'id' = ${subject} and locked_at is null and attempts < max_attempts`
}

const leaseItem = async (item: string) => {
  const [call] = await sql()`select * from work.begin_calls(${[item]}, '{}', null)`
  return call as never
}

const leaseEvent = async (event: string) => {
  const [attempt] = await sql()`select * from work.begin_deliveries(${[event]})`
  return attempt as never
}

/** Lets the pool's heartbeat grow old; gives how many jobs a sweep freed. */
async function die(poolId = pool): Promise<number> {
  await sql()`select work.register_pool(${poolId})`
  await sql()`update supply.worker_pools set seen_at = now() - interval '11 s' where pool_id = ${poolId}`
  const [row] = await sql()`select work.sweep() as freed`
  return row?.freed
}

/** In how many seconds each job of an event or an item is due. */
async function waits(subject: string): Promise<number[]> {
  const rows = await sql()`
    select extract(epoch from run_at - now())::float as wait from graphile_worker._private_jobs
    where payload ->> 'id' = ${subject} and locked_at is null`
  return rows.map(({ wait }) => wait)
}

async function newItem(): Promise<string> {
  const { body } = await place(sql(), partner)
  return body.items[0]?.id ?? ''
}

describe('a pool that is known to be dead', () => {
  test('loses its lease of an item: the supplier is asked at once, and its own answer comes too late', async () => {
    const item = await newItem()
    await takeJob(item)
    const lost = await leaseItem(item)
    expect(await die()).toBe(1)
    const [wait = 99] = await waits(item)
    expect(wait).toBeLessThanOrEqual(1)
    expect(await record(sql(), lost, completed())).toBe('stale')
    expect(await leaseItem(item)).toMatchObject({ item_id: item, method: 'get' })
    expect(await audit(sql())).toEqual([])
  })

  test('loses its lease of an event: the attempt is lost, the next rung is planned, and its slot is free', async () => {
    const event = await makeEvent(sql(), partner)
    await takeJob(event)
    const lost = await leaseEvent(event)
    expect(await die()).toBe(1)
    const [row] = await sql()`select state, attempts from ops.events where event_id = ${event}`
    expect(row).toEqual({ state: 'waiting', attempts: 1 })
    const [wait = 0, ...others] = await waits(event)
    expect(wait).toBeGreaterThan(50)
    expect(wait).toBeLessThanOrEqual(60)
    expect(others).toEqual([])
    expect(await finishAttempt(sql(), lost, answered(200))).toBe('stale')
    const outcomes = await sql()`select outcome from ops.delivery_attempts where event_id = ${event}`
    expect(outcomes).toEqual([{ outcome: 'lost' }])
    expect(await audit(sql())).toEqual([])
  })

  test('loses the first attempts that it leased with results, which have no job', async () => {
    const { body } = await place(sql(), partner, { callbackUrl: 'https://hooks.example/x' })
    await sql()`insert into supply.webhook_secrets (account_id, secret) values (${partner.accountId}, ${'5'.repeat(64)})`
    const [call] = await leaseCalls(sql(), [body.items[0]?.id ?? ''])
    const results = [
      { ordinal: 1, itemId: call?.item_id, leaseToken: call?.lease_token, result: completed() },
    ]
    const [lost] = await sql()`
      select event_id, lease_token from work.finish_calls(
        ${sql().json(results as never)}, '24 hours', '30 minutes', 1, ${pool})
      where event_id is not null`
    expect(lost).toBeDefined()
    await die()
    const [row] = await sql()`select state, attempts from ops.events where event_id = ${lost?.event_id}`
    expect(row).toEqual({ state: 'waiting', attempts: 1 })
    expect(await finishAttempt(sql(), lost as never, answered(200))).toBe('stale')
    expect(await audit(sql())).toEqual([])
  })

  test('at the ninth attempt leaves a dead letter, which is alerted', async () => {
    const event = await makeEvent(sql(), partner)
    for (let death = 1; death <= 9; death += 1) {
      await sql()`update supply.events set next_attempt_at = now() where id = ${event}`
      await takeJob(event)
      expect(await leaseEvent(event), `attempt ${death}`).toBeDefined()
      expect(await die()).toBe(1)
    }
    const [row] = await sql()`select state, dead_reason from ops.events where event_id = ${event}`
    expect(row).toEqual({ state: 'dead', dead_reason: 'attempts_exhausted' })
    expect(await audit(sql())).toEqual([])
  })

  test('frees the others that wait for its slots', async () => {
    const events = await Promise.all(Array.from({ length: 12 }, () => makeEvent(sql(), partner)))
    for (const event of events) await takeJob(event)
    await sql()`select * from work.begin_deliveries(${events})`
    const states = async () => {
      const rows = await sql()`
        select state, count(*)::int as n from supply.events where id = any(${events}) group by state order by state`
      return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
    }
    expect(await states()).toEqual({ queued: 4, sending: 8 })
    await die()
    expect(await states()).toEqual({ ready: 4, waiting: 8 })
    expect(await audit(sql())).toEqual([])
  })

  test('does not take the lease of a living one with it that has a later job of the same item', async () => {
    const item = await newItem()
    await takeJob(item)
    const first = await leaseItem(item)
    await record(sql(), first, { outcome: 'not_received' })
    await takeJob(item, 'pool-alive')
    const living = await leaseItem(item)
    expect(await die()).toBe(1)
    expect(await record(sql(), living, completed())).toBe('settled')
    await sql()`delete from graphile_worker._private_jobs where locked_by = 'pool-alive'`
    expect(await audit(sql())).toEqual([])
  })

  test('makes what kills its workers come back later and later', async () => {
    const item = await newItem()
    const seen: number[] = []
    for (let death = 1; death <= 6; death += 1) {
      await takeJob(item)
      await leaseItem(item)
      await die()
      seen.push(Math.round((await waits(item))[0] ?? 0))
    }
    expect(seen).toEqual([1, 2, 4, 8, 16, 32])
    expect(await audit(sql())).toEqual([])
  })
})

test('a process that stood still learns from its heartbeat that it was taken for dead', async () => {
  const beat = async () => {
    const [row] = await sql()`select work.heartbeat(array['pool-a', 'pool-b']) as unknown`
    return row?.unknown
  }
  await sql()`select work.register_pool('pool-a')`
  expect(await beat()).toBe(1)
  expect(await beat()).toBe(0)
  await sql()`update supply.worker_pools set seen_at = now() - interval '11 s' where pool_id like 'pool-%'`
  await sql()`select work.sweep()`
  expect(await beat()).toBe(2)
})
