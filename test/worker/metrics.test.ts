import { request } from 'undici'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectWorker } from '../../src/commands/connections.ts'
import { createWorkerMetrics } from '../../src/worker/metrics.ts'
import { testDatabase } from '../support/database.ts'
import { type Deliveries, startDeliveries } from '../support/deliveries.ts'
import { orderedEvent } from '../support/ordered_events.ts'
import { place } from '../support/orders.ts'
import { makePartner, type Partner, products } from '../support/partner.ts'
import type { ScriptedReceiver } from '../support/servers/scripted_receiver.ts'
import type { ScriptedSupplier } from '../support/servers/scripted_supplier.ts'
import { type RunningWorker, startTestWorker } from '../support/whole_service.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
let deliveries: Deliveries
let supplier: ScriptedSupplier
let receiver: ScriptedReceiver
let worker: RunningWorker
let partner: Partner

beforeAll(async () => {
  deliveries = await startDeliveries(database, { workerMetricsPort: 0 })
  ;({ supplier, receiver, worker } = deliveries)
  partner = await makePartner(sql())
})
afterAll(() => deliveries.close())

async function scrape(): Promise<string> {
  const { statusCode, body } = await request(`http://127.0.0.1:${worker.metricsPort}/metrics`)
  expect(statusCode).toBe(200)
  return body.text()
}

const valueIn = (text: string, sample: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${sample} `))
      ?.split(' ')[1] ?? Number.NaN,
  )

/** The value of a metric with its labels, as the text form writes it. */
const value = async (sample: string) => valueIn(await scrape(), sample)

const becomes = (sample: string, expected: number) => expect.poll(() => value(sample), { interval: 50 }).toBe(expected)

test('deliveries are counted by outcome, supplier calls by verdict, jobs by task and result', async () => {
  const statuses = [200, 500, 410]
  receiver.answer(() => ({ status: statuses.shift() ?? 200 }))
  supplier.setAnswer(() => ({ status: 200, json: { status: 'completed' } }))
  for (const _ of [...statuses]) await orderedEvent(sql(), partner, receiver.url)
  await becomes('supply_webhook_deliveries_total{outcome="delivered"}', 1)
  await becomes('supply_webhook_deliveries_total{outcome="retry"}', 1)
  await becomes('supply_webhook_deliveries_total{outcome="http_4xx"}', 1)
  await becomes('supply_supplier_calls_total{verdict="settled"}', 3)
  await becomes('supply_job_duration_seconds_count{task="call_supplier",result="done"}', 3)
  await becomes('supply_supplier_call_duration_seconds_count{supplier="first",method="put",outcome="answered"}', 3)
  await becomes('supply_orders_ended_total{outcome="full"}', 3)
  await becomes('supply_order_end_duration_seconds_count{outcome="full"}', 3)
  await becomes('supply_order_notified_duration_seconds_count', 1)
  expect(await value('supply_webhook_events_waiting')).toBe(1)
  expect(await value('supply_webhook_events_due')).toBe(0)
  expect(await value('supply_webhook_dead_letters')).toBe(1)
})

test('orders are counted once by outcome, with the time since they were placed', async () => {
  const items = [{ productId: products.topUp }, { productId: products.topUp }]
  const before = await value('supply_order_end_duration_seconds_sum{outcome="partial"}')
  expect(before).toBeNaN()
  supplier.setAnswer(() => ({ status: 200, json: { status: 'processing' } }))
  const { body } = await place(sql(), partner, { items })
  await sql()`update supply.orders set created_at = created_at - interval '1 hour' where code = ${body.code}`
  const statuses = ['completed', 'failed']
  supplier.setAnswer(() => ({ status: 200, json: { status: statuses.shift() ?? 'completed' } }))
  // On a slow machine an item may be settled by the next poll of its own.
  await Promise.allSettled(body.items.map(({ id }) => sql()`select ops.poll_now(${id})`))
  await becomes('supply_orders_ended_total{outcome="partial"}', 1)
  const seconds = await value('supply_order_end_duration_seconds_sum{outcome="partial"}')
  expect(seconds).toBeGreaterThanOrEqual(3_600)
  expect(seconds).toBeLessThan(3_700)
  expect(await value('supply_order_end_duration_seconds_bucket{le="3600",outcome="partial"}')).toBe(0)
})

test('a job that throws is counted as failed', async () => {
  await sql()`select graphile_worker.add_job('deliver_webhook', '{"id":"no uuid"}')`
  await becomes('supply_job_duration_seconds_count{task="deliver_webhook",result="failed"}', 1)
  await sql()`delete from graphile_worker._private_jobs where payload ->> 'id' = 'no uuid'`
})

test('gauges say how much there is to do, at the time of the scrape', async () => {
  receiver.answer(() => 'hang')
  const sending = await orderedEvent(sql(), partner, receiver.url)
  await receiver.waitFor(({ eventId }) => eventId === sending)
  expect(await value('supply_webhook_events_sending')).toBe(1)
  expect([await value('supply_webhook_slots_taken'), await value('supply_webhook_events_queued')]).toEqual([1, 0])
  expect(await value('supply_webhook_slots')).toBeGreaterThanOrEqual(2)

  supplier.setAnswer(() => ({ status: 200, json: { status: 'processing' } }))
  const { body } = await place(sql(), partner)
  expect(await value('supply_supplier_items_open')).toBe(1)
  expect([await value('supply_supplier_items_stuck'), await value('supply_supplier_items_held')]).toEqual([0, 0])
  const item = body.items[0]?.id ?? ''
  await sql()`update supply.order_items set stuck_at = now(), held_at = now() where id = ${item}`
  expect([await value('supply_supplier_items_stuck'), await value('supply_supplier_items_held')]).toEqual([1, 1])

  expect(await value('supply_queue_oldest_due_job_seconds')).toBeLessThan(100)
  await sql()`select graphile_worker.add_job('nobodys_task', run_at => now() - interval '100 s')`
  const age = await value('supply_queue_oldest_due_job_seconds')
  expect(age).toBeGreaterThanOrEqual(100)
  expect(age).toBeLessThan(200)
  expect(await value('supply_queue_jobs_due')).toBeGreaterThanOrEqual(1)
  await sql()`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'nobody' where run_at < now() - interval '90 s'`
  expect(await value('supply_queue_jobs_taken')).toBeGreaterThanOrEqual(1)
})

test('the accounts that are low on money or have dead letters come first among those with gauges', async () => {
  const low = await makePartner(sql(), { name: 'Low', balance: 5 })
  await sql()`select ops.set_low_balance_threshold(${low.accountId}, 10)`
  const of = (account: number) => `{account="${account}"}`
  expect(await value(`supply_account_balance${of(low.accountId)}`)).toBe(5)
  expect(await value(`supply_account_low_balance_threshold${of(low.accountId)}`)).toBe(10)
  // Of the first test: one was refused with 410, one with 500.
  expect(await value(`supply_account_dead_letters${of(partner.accountId)}`)).toBe(1)
  expect(await value(`supply_account_webhooks_waiting${of(partner.accountId)}`)).toBeGreaterThanOrEqual(1)
  const busiest = await sql()`select account_id::int from work.account_gauges(2)`
  expect(busiest.map(({ account_id }) => account_id)).toEqual([low.accountId, partner.accountId])
})

test('the audit has a metric of its time', async () => {
  expect(await value('supply_audit_breaches')).toBeNaN()
  await sql()`insert into supply.audit_runs (ran_at, breaches, checks) values ('2026-01-01T00:00:00Z', 7, '{}')`
  expect(await value('supply_audit_breaches')).toBe(7)
  expect(await value('supply_audit_last_run_timestamp_seconds')).toBe(Date.parse('2026-01-01T00:00:00Z') / 1_000)
})

test('while the database cannot answer, gauges are not a number, and counters stay', async () => {
  const db = connectWorker('postgres://nobody@127.0.0.1:9/nothing')
  const metrics = createWorkerMetrics(db)
  metrics.countDelivery('delivered')
  const text = await metrics.registry.metrics()
  expect(valueIn(text, 'supply_webhook_events_waiting')).toBeNaN()
  expect(text).toMatch(/^supply_webhook_events_waiting nan$/im)
  expect(valueIn(text, 'supply_webhook_deliveries_total{outcome="delivered"}')).toBe(1)
  await db.end()
})

test('there is no server for metrics where no port is set', async () => {
  const silent = await startTestWorker(database.url)
  expect(silent.metricsPort).toBeUndefined()
  await silent.stop()
})
