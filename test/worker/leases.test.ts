import type postgres from 'postgres'
import { beforeAll, describe, expect, test } from 'vitest'
import { workerTimes } from '../../src/commands/connections.ts'
import { supplierTimeoutMs } from '../../src/suppliers/adapters.ts'
import { webhookTimeoutMs } from '../../src/webhooks/send.ts'
import { deadAfterMs } from '../../src/worker/heartbeat.ts'
import { pollIntervalMs } from '../../src/worker/queue/pools.ts'
import { callLeaseMs } from '../../tasks/call_supplier.ts'
import { attemptLeaseMs } from '../../tasks/deliver_webhook.ts'
import { testDatabase } from '../support/database.ts'
import { makeEvent } from '../support/events.ts'
import { place } from '../support/orders.ts'
import { makePartner, type Partner } from '../support/partner.ts'

// The leases are defined in SQL, and what they cover here.
const database = testDatabase({ catalog: true })
const sql = () => database.sql
let partner: Partner
beforeAll(async () => {
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
    expect(lease).toBe(callLeaseMs)
    expect(lease).toBeGreaterThan(supplierTimeoutMs + workerTimes.deadlineMs)
  })

  test('a delivery and the recording of its result', async () => {
    const event = await makeEvent(sql(), partner)
    const lease = await leaseOf('events', event, (on) => on`select work.begin_deliveries(${[event]}, 4194304)`)
    expect(lease).toBe(attemptLeaseMs)
    expect(lease).toBeGreaterThan(webhookTimeoutMs + workerTimes.deadlineMs)
  })

  test('a heartbeat, while other workers do not take its pool for dead', async () => {
    const pool = 'a pool'
    await sql()`select work.heartbeat(${[pool]}, 0)`
    const deadAfter = async (ms: number) => {
      await sql()`update supply.worker_pools set seen_at = now() - ${`${ms} ms`}::interval where pool_id = ${pool}`
      const [row] = await sql()`select ${pool} = any (core.dead_pools()) as is_dead`
      return row?.is_dead
    }
    expect(await deadAfter(deadAfterMs - 1_000)).toBe(false)
    expect(await deadAfter(deadAfterMs + 1)).toBe(true)
  })

  test('the time in which a worker finds the job of an event that got a slot', async () => {
    const event = await makeEvent(sql(), partner)
    await sql()`update supply.events set state = 'queued', lease_expires_at = null where id = ${event}`
    const lease = await leaseOf('events', event, (on) => on`select work.fill_slots()`)
    expect(lease).toBeGreaterThan(2 * pollIntervalMs)
  })
})
