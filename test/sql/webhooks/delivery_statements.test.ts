import type postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { plansByKey } from '../../../src/database/connections/pool.ts'
import { testDatabase } from '../../support/database.ts'
import { answered, unreachable } from '../../support/events.ts'
import { makePartner, type Partner } from '../../support/partner.ts'
import { type Explained, explainingSession, scansOf } from '../../support/sql/plans.ts'

// Statements and plans of the delivery functions, as a session keeps them that began while the tables were empty.
const database = testDatabase()
const sql = () => database.sql
let old: Explained
let serial = 0

beforeAll(async () => {
  // Autovacuum would have plans made again.
  for (const table of ['events', 'delivery_attempts', 'delivery_slots', 'webhook_secrets']) {
    await sql().unsafe(`alter table supply.${table} set (autovacuum_enabled = off)`)
  }
  await sql()`alter table graphile_worker._private_jobs set (autovacuum_enabled = off)`
  old = await explainingSession(database.url, plansByKey)
})
afterAll(() => old.end())

async function partnerWithSlots(): Promise<Partner> {
  const partner = await makePartner(sql())
  await sql()`update supply.delivery_slots set slots = 64 where account_id = ${partner.accountId}`
  return partner
}

/** Events of orders that were delivered or are queued, without what their orders did. */
async function writeEvents(
  { accountId }: Partner,
  count: number,
  state: 'queued' | 'delivered',
): Promise<string[]> {
  serial += 1
  const rows = await sql()`
    insert into supply.events (account_id, order_code, event_type, callback_url, body, simulated, state, next_attempt_at, delivered_at)
    select ${accountId}, 'o' || ${serial}::int || '-' || n, 'order.completed', 'https://hooks.example/x', '{}', true, ${state},
      case when ${state === 'queued'} then now() end, case when ${state === 'delivered'} then now() end
    from generate_series(1, ${count}::int) n returning id`
  return rows.map(({ id }) => id)
}

type Steps = { [step: string]: Awaited<ReturnType<Explained['explained']>>['statements'] }

/** What is run for the first attempts of new events that end so, and for their next ones. */
async function runDeliveries(session: Explained, partner: Partner, count: number, result: object) {
  const ids = await writeEvents(partner, count, 'queued')
  const steps: Steps = {}
  const run = async (step: string, work: (on: postgres.Sql) => PromiseLike<postgres.Row[]>) => {
    const { statements, rows } = await session.explained(work)
    steps[step] = statements
    return rows
  }
  const finish = (attempts: postgres.Row[]) => (on: postgres.Sql) => {
    const results = attempts.map(({ ordinal, event_id, lease_token }) => ({
      ...{ ordinal, eventId: event_id, leaseToken: lease_token, result },
    }))
    return on`select * from work.finish_deliveries(${on.json(results as never)}, 0, null)`
  }
  await run('enqueue', (on) => on`select core.enqueue_deliveries(${ids}::uuid[])`)
  for (const step of ['first', 'next']) {
    const leased = await run(`${step} begin`, (on) => on`select * from work.begin_deliveries(${ids}::uuid[])`)
    await run(`${step} finish`, finish(leased))
    await sql()`update supply.delivery_slots set slots = 64`
    await sql()`update supply.events set next_attempt_at = now() where id = any(${ids}) and next_attempt_at > now()`
  }
  await run('tick', (on) => on`select work.fill_slots()`)
  return { steps }
}

test.each([
  ['are delivered', answered(200)],
  ['have to be repeated', answered(503)],
  ['meet a receiver that does not answer', unreachable()],
])('sixty-four deliveries that %s take as many statements as two', async (_, result) => {
  const counts = async (size: number) => {
    const { steps } = await runDeliveries(old, await partnerWithSlots(), size, result)
    return Object.entries(steps).map(([step, statements]) => `${step}: ${statements.length}`)
  }
  await counts(2)
  expect(await counts(64)).toEqual(await counts(2))
})

test('each read of events has one index that serves it, on an empty, a small and a grown table, for old and new sessions', async () => {
  const partner = await partnerWithSlots()
  const expected = ['events_holding', 'events_pkey', 'events_queued', 'events_rungs']
  const indexesOf = async (session: Explained) => {
    const { steps } = await runDeliveries(session, partner, 8, answered(500))
    return scansOf(Object.values(steps).flat(), 'events')
  }
  expect(await indexesOf(old)).toEqual(expected)
  const young = await explainingSession(database.url, plansByKey)
  expect(await indexesOf(young)).toEqual(expected)
  await young.end()

  const others = await Promise.all(Array.from({ length: 5 }, () => makePartner(sql())))
  for (const other of others) await writeEvents(other, 4000, 'delivered')
  for (const other of others) await writeEvents(other, 1000, 'queued')
  await sql()`update supply.delivery_slots set slots = 64`
  const late = await explainingSession(database.url, plansByKey)
  for (const session of [old, late]) {
    expect(await indexesOf(session)).toEqual(expected)
    const { steps } = await runDeliveries(session, partner, 32, answered(200))
    for (const [step, statements] of Object.entries(steps)) {
      const most = Math.max(...statements.map(({ rowsRead }) => rowsRead))
      // A scan would read the 5,000 of one account at least. Versions that are being cleaned up count, too.
      expect(most, `rows that a statement of ${step} read`).toBeLessThanOrEqual(2000)
    }
  }
  await late.end()
})
