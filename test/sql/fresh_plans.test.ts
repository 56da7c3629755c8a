import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectApi, connectWorker } from '../../src/commands/connections.ts'
import type { Database } from '../../src/database/client.ts'
import { plansByKey } from '../../src/database/connections/pool.ts'
import { testDatabase } from '../support/database.ts'
import { type Answer, orderRequest } from '../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../support/partner.ts'

// The plans of these connections are made while the tables are empty, and kept while they grow.
const database = testDatabase()
const orders = 40
let partner: Partner
let api: Database
let worker: Database
let observer: postgres.Sql

beforeAll(async () => {
  await makeCatalog(database.sql, { url: 'http://127.0.0.1:9', token: 'token' })
  partner = await makePartner(database.sql, { balance: 1_000_000 })
  await withoutAutovacuum()
  api = connectApi(database.url)
  worker = connectWorker(database.url)
  observer = postgres(database.url, { max: 1, connection: plansByKey })
})

afterAll(() => Promise.all([api.end(), worker.end(), observer.end({ timeout: 1 })]))

/** Autovacuum would have plans made again. */
async function withoutAutovacuum(): Promise<void> {
  const tables = await database.sql`
    select c.oid::regclass::text as name from pg_class c
    where c.relkind = 'r' and c.relnamespace in ('supply'::regnamespace, 'graphile_worker'::regnamespace)`
  for (const { name } of tables) {
    await database.sql.unsafe(`alter table ${name} set (autovacuum_enabled = off)`)
  }
}

/** Orders, supplies and delivers one after the other, each by its own calls. */
async function wholeOrders(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const request = orderRequest(partner, { callbackUrl: 'https://hooks.example/x' })
    const [placed] = await api.call('api.place_orders', { requests: [request] })
    const order: Answer = JSON.parse(placed?.body ?? '')
    const items = order.items.map(({ id }) => id)
    const [call] = await worker.call('work.begin_calls', {
      item_ids: items,
      under_way: {},
      supplier_cap: null,
    })
    const answer = { outcome: 'answered', status: 'completed', codes: [] }
    const supplied = { ordinal: 1, itemId: call?.item_id, leaseToken: call?.lease_token, result: answer }
    await worker.call('work.finish_calls', {
      ...{ results: [supplied], deadline: '1 day', unsafe_after: '30 minutes', to_send: 0, pool_id: null },
    })
    const [event] = await observer`
      select e.id from supply.events e where e.order_id = core.own_order(${partner.accountId}, ${order.code})`
    const [attempt] = await worker.call('work.begin_deliveries', { event_ids: [event?.id] })
    const result = { kind: 'answered', status: 200, retryAfter: null }
    const sent = { ordinal: 1, eventId: attempt?.event_id, leaseToken: attempt?.lease_token, result }
    const delivery = { results: [sent], to_send: 0, pool_id: null }
    expect(await worker.call('work.finish_deliveries', delivery)).toMatchObject([
      { ordinal: 1, verdict: 'delivered', told_seconds: expect.any(Number), event_id: null },
    ])
    await api.call('api.get_order', { account_id: partner.accountId, code: order.code })
    await api.call('api.get_balance', { account_id: partner.accountId })
  }
}

/** How many live rows were read so far, by table: sessions tell that once a second at most, at the end of a statement. */
async function rowsRead(): Promise<Map<string, number>> {
  await sleep(1100)
  await wholeOrders(1)
  const rows = await database.sql`
    select t.relname as name, coalesce(t.seq_tup_read, 0) + coalesce(t.idx_tup_fetch, 0) as read
    from pg_stat_user_tables t where t.schemaname in ('supply', 'graphile_worker')`
  return new Map(rows.map(({ name, read }) => [name, Number(read)]))
}

test('an order costs the same whether ten or a hundred were there before', async () => {
  await wholeOrders(10)
  const before = await rowsRead()
  await wholeOrders(orders)
  const between = await rowsRead()
  await wholeOrders(orders)
  const after = await rowsRead()
  for (const [name, last] of after) {
    const first = (between.get(name) ?? 0) - (before.get(name) ?? 0)
    const second = last - (between.get(name) ?? 0)
    expect(second, `rows read in ${name}, after ${first}`).toBeLessThanOrEqual(first * 1.2 + 5 * orders)
  }
})
