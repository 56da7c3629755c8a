import { readFileSync } from 'node:fs'
import { parseCrontab } from 'graphile-worker'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectWorker } from '../../src/commands/connections.ts'
import type { Database } from '../../src/database/client.ts'
import { createHousekeeping } from '../../tasks/housekeeping.ts'
import { testDatabase } from '../support/database.ts'
import { answer, completed } from '../support/items.ts'
import { place } from '../support/orders.ts'
import { makePartner } from '../support/partner.ts'
import { startTestWorker } from '../support/whole_service.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
const days = { attempts: 30, raw: 3, deliveryData: 30, alerts: 30 }
let db: Database
let itemId: string

beforeAll(async () => {
  db = connectWorker(database.url)
  const { body } = await place(sql(), await makePartner(sql()))
  itemId = body.items[0]?.id ?? ''
  await answer(sql(), itemId, completed())
})
afterAll(() => db.end())

const keepHouse = (stopping = new AbortController().signal) =>
  createHousekeeping({ db, days, stopping })({}, {} as never)

const addAttempts = (count: number, age: string) => sql()`
  insert into supply.supplier_attempts (item_id, supplier, method, started_at, outcome, verdict, raw)
  select ${itemId}, 'first', 'get', now() - ${age}::interval, 'processing', 'waiting', 'x' from generate_series(1, ${count}::int)`

async function removed(): Promise<{ [what: string]: number }> {
  const rows = await sql()`select what, removed from ops.housekeeping where removed > 0`
  return Object.fromEntries(rows.map(({ what, removed }) => [what, Number(removed)]))
}

test('rows that are older than the settings allow are removed, also in many parts', async () => {
  await addAttempts(2_100, '31 days')
  await addAttempts(5, '4 days')
  await addAttempts(2, '1 day')
  await keepHouse()
  expect(await removed()).toEqual({ 'raw answers': 2_105, 'supplier attempts': 2_100 })
  const [left] = await sql()`select count(*)::int, count(raw)::int as raw from supply.supplier_attempts`
  expect(left).toEqual({ count: 8, raw: 2 })
})

test('samples and windows of the rate limit are removed and counted', async () => {
  await sql()`insert into supply.rate_windows (kind, subject, started_at, hits_before, hits, per_minute)
    values ('requests', '10.0.0.1', now() - interval '1 hour', 0, 1, 1)`
  await sql()`
    insert into supply.events (account_id, order_code, event_type, callback_url, body, simulated, created_at)
    select id, 'x', 'order.completed', 'https://hooks.example/x', '{}', true, now() - interval '2 days'
    from supply.accounts, generate_series(1, 1100)`
  await keepHouse()
  expect(await removed()).toMatchObject({ samples: 1_100, 'rate windows': 1 })
})

test('when the worker stops, the part under way ends, and the next run goes on', async () => {
  const before = (await removed())['raw answers'] ?? 0
  await addAttempts(20_000, '31 days')
  const stopping = new AbortController()
  const running = keepHouse(stopping.signal)
  await expect.poll(async () => (await removed())['raw answers'] ?? 0, { interval: 5 }).toBeGreaterThan(before)
  stopping.abort()
  await running
  const stopped = (await removed())['raw answers'] ?? 0
  expect(stopped - before).toBeLessThan(20_000)
  await keepHouse()
  expect((await removed())['raw answers']).toBe(before + 20_000)
})

test('a worker runs the tasks of tasks/crontab', async () => {
  const crontab = readFileSync(new URL('../../tasks/crontab', import.meta.url), 'utf8')
  const tasks = parseCrontab(crontab).map(({ task }) => task)
  // A minute that passed before the worker started is made up for, so that the test waits for none.
  await sql()`
    insert into graphile_worker._private_known_crontabs (identifier, known_since)
    select task, now() - interval '5 minutes' from unnest(${tasks}::text[]) as task`
  await sql()`insert into supply.rate_windows (kind, subject, started_at, hits_before, hits, per_minute)
    values ('requests', '10.0.0.2', now() - interval '1 hour', 0, 1, 1)`
  await sql()`update supply.periodic_tasks set succeeded_at = null where task = 'run_audit'`
  const worker = await startTestWorker(database.url, {}, { crontab: crontab.replaceAll('?', '?fill=5m&') })
  const left = () => sql()`
    select subject as what from supply.rate_windows union all
    select task from supply.periodic_tasks where task = 'run_audit' and succeeded_at is null`
  await expect.poll(left).toEqual([])
  await worker.stop()
})
