import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import {
  answered,
  finishAttempt,
  leaseAttempt,
  leaseAttempts,
  makeEvent,
  makeEvents,
  unreachable,
} from '../../support/events.ts'
import { leaseCalls, record, unknown } from '../../support/items.ts'
import { audit, place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../../support/partner.ts'

// A worker that stood still, and was thought dead, goes on: it records what it did, and its queue deletes the job.
const database = testDatabase()
const sql = () => database.sql
let partner: Partner

beforeAll(() => makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' }))
beforeEach(async () => {
  partner = await makePartner(sql())
})

/** Has a pool take the job of an event or an item, and returns what its queue does in the end. */
async function takeJob(subject: string): Promise<() => Promise<unknown>> {
  const [job] = await sql()`
    update graphile_worker._private_jobs set locked_by = 'pool-zombie', locked_at = now(), attempts = attempts + 1
    where payload ->> 'id' = ${subject} returning id`
  return () => sql()`delete from graphile_worker._private_jobs where id = ${job?.id}`
}

async function thinkItDead(): Promise<void> {
  await sql()`select work.register_pool('pool-zombie')`
  await sql()`update supply.worker_pools set seen_at = now() - interval '11 s' where pool_id = 'pool-zombie'`
  const [row] = await sql()`select work.sweep() as freed`
  expect(row?.freed).toBe(1)
}

const waits = async (subject: string) => {
  const rows = await sql()`
    select extract(epoch from run_at - now())::float as wait from graphile_worker._private_jobs
    where payload ->> 'id' = ${subject}`
  return rows.map(({ wait }) => Math.round(Math.abs(wait)))
}

describe('a worker that was thought dead and was not', () => {
  test('leaves the next rung of an event, whether it records after that or before', async () => {
    for (const recordsFirst of [true, false]) {
      const id = await makeEvent(sql(), partner)
      const complete = await takeJob(id)
      const [attempt] = await sql()`select * from work.begin_deliveries(${[id]})`
      const steps = [thinkItDead, () => finishAttempt(sql(), attempt as never, unreachable())]
      for (const step of recordsFirst ? steps.reverse() : steps) await step()
      await complete()
      expect(await waits(id)).toEqual([60])
    }
    expect(await audit(sql())).toEqual([])
  })

  test('leaves the next question about an item, at its first call and later', async () => {
    const { body } = await place(sql(), partner)
    const item = body.items[0]?.id ?? ''
    for (const checks of [0, 1, 2]) {
      await sql()`update supply.order_items set next_check_at = now() where id = ${item}`
      const complete = await takeJob(item)
      const [call] = await sql()`select * from work.begin_calls(${[item]}, '{}', null)`
      await thinkItDead()
      await record(sql(), call as never, unknown())
      await complete()
      expect(await waits(item), `after ${checks} questions`).toHaveLength(1)
    }
    expect(await audit(sql())).toEqual([])
  })

  test('and died after it had recorded leaves what it planned as it is', async () => {
    const { body } = await place(sql(), partner)
    const item = body.items[0]?.id ?? ''
    await takeJob(item)
    const [call] = await sql()`select * from work.begin_calls(${[item]}, '{}', null)`
    await sql()`update supply.order_items set checks = 6 where id = ${item}`
    await record(sql(), call as never, unknown())
    await thinkItDead()
    expect(await waits(item)).toEqual([60])
    expect(await audit(sql())).toEqual([])
  })

  test('is known to the sweepers again after its next sign of life', async () => {
    await sql()`select work.heartbeat(array['pool-back'])`
    const pools = await sql()`select pool_id from supply.worker_pools where pool_id = 'pool-back'`
    expect(pools).toEqual([{ pool_id: 'pool-back' }])
  })
})

test('a job that comes before the time of its event or item, for a clock was set back, is not the last one', async () => {
  const id = await makeEvent(sql(), partner)
  await sql()`update supply.events set next_attempt_at = now() + interval '5 s' where id = ${id}`
  await sql()`delete from graphile_worker._private_jobs where payload ->> 'id' = ${id}`
  expect(await sql()`select * from work.begin_deliveries(${[id]})`).toEqual([])
  expect(await waits(id)).toEqual([5])

  const { body } = await place(sql(), partner)
  const item = body.items[0]?.id ?? ''
  const [call] = await leaseCalls(sql(), [item])
  if (call) await record(sql(), call, unknown())
  await sql()`update supply.order_items set next_check_at = now() + interval '5 s' where id = ${item}`
  await sql()`delete from graphile_worker._private_jobs where payload ->> 'id' = ${item}`
  expect(await sql()`select * from work.begin_calls(${[item]}, '{}', null)`).toEqual([])
  expect(await waits(item)).toEqual([5])
})

test('a lost attempt is found beside a backlog of due events of its account', async () => {
  const [lost = '', ...backlog] = await makeEvents(sql(), partner, 30)
  await leaseAttempt(sql(), lost)
  await leaseAttempts(sql(), [lost])
  await sql()`update supply.events set lease_expires_at = now() - interval '1 s' where id = ${lost}`
  await sql()`
    update graphile_worker._private_jobs set run_at = now() where payload ->> 'id' = any(${[lost, ...backlog]})`
  const leased = await leaseAttempts(sql(), backlog.slice(0, 20))
  expect(leased).toHaveLength(8)
  expect(await waits(lost)).toEqual([0])
  for (const attempt of leased) await finishAttempt(sql(), attempt, answered(200))
  expect(await audit(sql())).toEqual([])
})
