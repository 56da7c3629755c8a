import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectWorker } from '../../src/commands/connections.ts'
import type { Database } from '../../src/database/client.ts'
import { createHousekeeping } from '../../src/worker/housekeeping.ts'
import { testDatabase } from '../support/database.ts'
import { answer, completed } from '../support/items.ts'
import { place } from '../support/orders.ts'
import { makeCatalog, makePartner } from '../support/partner.ts'

const database = testDatabase()
const sql = () => database.sql
const days = { attempts: 30, raw: 3, alerts: 30 }
let db: Database
let itemId: string

beforeAll(async () => {
  db = connectWorker(database.url)
  await makeCatalog(sql(), { url: 'http://127.0.0.1:9', token: 'token' })
  const { body } = await place(sql(), await makePartner(sql()))
  itemId = body.items[0]?.id ?? ''
  await answer(sql(), itemId, completed())
})
afterAll(() => db.end())

const addAttempts = (count: number, age: string) => sql()`
  insert into supply.supplier_attempts (item_id, supplier, method, started_at, outcome, verdict, raw)
  select ${itemId}, 'first', 'get', now() - ${age}::interval, 'processing', 'waiting', 'x' from generate_series(1, ${count}::int)`

async function removed(): Promise<{ [what: string]: number }> {
  const rows = await sql()`select what, removed from ops.housekeeping where removed > 0`
  return Object.fromEntries(rows.map(({ what, removed }) => [what, Number(removed)]))
}

test('what is older than the settings say is removed, also where it is many parts', async () => {
  await addAttempts(2_100, '31 days')
  await addAttempts(5, '4 days')
  await addAttempts(2, '1 day')
  await createHousekeeping(db, days).removeOld()
  expect(await removed()).toEqual({ 'raw answers': 2_105, 'supplier attempts': 2_100 })
  const [left] = await sql()`select count(*)::int, count(raw)::int as raw from supply.supplier_attempts`
  expect(left).toEqual({ count: 8, raw: 2 })
})

test('samples and windows of the rate limit are removed and counted', async () => {
  await sql()`insert into supply.rate_windows (client, started_at, hits) values ('10.0.0.1', now() - interval '1 hour', 1)`
  await sql()`
    insert into supply.events (account_id, order_code, event_type, callback_url, body, simulated, created_at)
    select id, 'x', 'order.completed', 'https://hooks.example/x', '{}', true, now() - interval '2 days'
    from supply.accounts, generate_series(1, 1100)`
  await createHousekeeping(db, days).prune()
  expect(await removed()).toMatchObject({ samples: 1_100, 'rate windows': 1 })
})

test('told to end, it ends with the part that is under way, and another goes on', async () => {
  const before = (await removed())['raw answers'] ?? 0
  await addAttempts(20_000, '31 days')
  const housekeeping = createHousekeeping(db, days)
  const running = housekeeping.removeOld()
  await expect
    .poll(async () => (await removed())['raw answers'] ?? 0, { interval: 5 })
    .toBeGreaterThan(before)
  await housekeeping.stop()
  await running
  const stopped = (await removed())['raw answers'] ?? 0
  expect(stopped - before).toBeLessThan(20_000)
  await createHousekeeping(db, days).removeOld()
  expect((await removed())['raw answers']).toBe(before + 20_000)
})
