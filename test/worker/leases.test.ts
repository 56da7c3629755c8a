import type postgres from 'postgres'
import { beforeAll, describe, expect, test } from 'vitest'
import { workerTimes } from '../../src/commands/connections.ts'
import { supplierTimeoutMs } from '../../src/suppliers/adapters.ts'
import { webhookTimeoutMs } from '../../src/webhooks/send.ts'
import { pollIntervalMs } from '../../src/worker/queue/pools.ts'
import { testDatabase } from '../support/database.ts'
import { makeEvent } from '../support/events.ts'
import { place } from '../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../support/partner.ts'

// The leases are defined in SQL, and what they cover here.
const database = testDatabase()
const sql = () => database.sql
let partner: Partner
beforeAll(async () => {
  await makeCatalog(sql(), { url: 'http://127.0.0.1:9', token: 'token' })
  partner = await makePartner(sql())
})

/** How long the lease of the row is when it begins, in milliseconds. */
async function leaseOf(
  table: string,
  id: string,
  begin: (on: postgres.TransactionSql) => Promise<unknown>,
): Promise<number> {
  return sql().begin(async (transaction) => {
    await begin(transaction)
    const [row] = await transaction`
      select 1000 * extract(epoch from lease_expires_at - now())::float as ms
      from supply.${transaction(table)} where id = ${id}`
    return row?.ms
  })
}

describe('a lease outlives', () => {
  test('a call to a supplier and the recording of its result', async () => {
    const { body } = await place(sql(), partner)
    const item = body.items[0]?.id ?? ''
    const lease = await leaseOf('order_items', item, (on) => on`select work.begin_calls(${[item]}, '{}', null)`)
    expect(lease).toBeGreaterThan(supplierTimeoutMs + workerTimes.deadlineMs)
  })

  test('a delivery and the recording of its result', async () => {
    const event = await makeEvent(sql(), partner)
    const lease = await leaseOf('events', event, (on) => on`select work.begin_deliveries(${[event]})`)
    expect(lease).toBeGreaterThan(webhookTimeoutMs + workerTimes.deadlineMs)
  })

  test('the time in which a worker finds the job of an event that got a slot', async () => {
    const event = await makeEvent(sql(), partner)
    await sql()`update supply.events set state = 'queued', lease_expires_at = null where id = ${event}`
    const lease = await leaseOf('events', event, (on) => on`select work.fill_slots()`)
    expect(lease).toBeGreaterThan(2 * pollIntervalMs)
  })
})
