import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { supplierTimeoutMs } from '../../src/suppliers/adapters.ts'
import { deadAfterMs } from '../../src/worker/heartbeat.ts'
import { callLeaseMs } from '../../tasks/call_supplier.ts'
import { completes, crashScene } from '../support/crash/crash_scene.ts'
import { testDatabase } from '../support/database.ts'
import { failed, finishCalls, leaseCalls } from '../support/items.ts'
import { place } from '../support/orders.ts'
import { products } from '../support/partner.ts'

const database = testDatabase({ catalog: true })
const sql = () => database.sql
const scene = crashScene(database)

/**
 * Has a worker lease three calls, and stops it after it has sent the first: it waits a second before each of the others.
 * Goes on when the time has passed and the last item was refunded.
 */
async function stopBetweenLeaseAndSend(stoppedMs: number, endLease: (id: string) => Promise<unknown>) {
  const worker = await scene().runningWorker()
  await sql()`select ops.set_supplier_limits('first', null, 60)`
  const stopped = Promise.withResolvers<void>()
  const underWay = () => sql()`
    select from pg_stat_activity
    where datname = current_database() and state <> 'idle' and application_name like 'supply-ordering worker%'`
  scene().supplier.setAnswer(async () => {
    // A statement of the queue that is under way would miss its deadline, which ends the process.
    await vi.waitUntil(async () => (await underWay()).length === 0, { timeout: 500, interval: 1 }).catch(() => {})
    worker.signal('SIGSTOP')
    stopped.resolve()
    return completes
  })
  const items = Array.from({ length: 3 }, () => ({ productId: products.topUp }))
  const { body } = await scene().unseen(() => place(sql(), scene().partner, { callbackUrl: null, items }))
  const [first = '', other = '', refunded = ''] = body.items.map(({ id }) => id)
  await stopped.promise
  await sql()`select ops.set_supplier_limits('first', null, null)`
  scene().supplier.setAnswer(({ method }) => (method === 'GET' ? { status: 404, json: {} } : completes))
  await sleep(stoppedMs)
  await endLease(refunded)
  await finishCalls(sql(), await leaseCalls(sql(), [refunded]), failed())
  worker.signal('SIGCONT')
  return { worker, first, other, refunded }
}

const sentItems = () =>
  scene()
    .supplier.requests.filter(({ method }) => method === 'PUT')
    .map(({ reference }) => reference)

test('a worker that stood still until its lease may have ended sends no order that was refunded meanwhile, and another one once', async () => {
  const { first, other, refunded } = await stopBetweenLeaseAndSend(
    callLeaseMs - supplierTimeoutMs + 3_000,
    (id) => sql()`update supply.order_items set lease_expires_at = now() where id = ${id}`,
  )
  await scene().itemIn(other, 'completed')
  await scene().jobsGone(refunded)
  expect(sentItems()).toEqual([first, other])
  const results = await sql()`
    select outcome, cause, verdict::text from ops.supplier_attempts
    where item_id = ${refunded} and method = 'put' order by attempt_id`
  expect(results).toEqual([{ outcome: 'not_placed', cause: 'late', verdict: 'stale' }])
})

test('a worker that stood still until it was declared dead sends no order', async () => {
  const before = sentItems().length
  const { worker, first, other } = await stopBetweenLeaseAndSend(deadAfterMs + 500, () => sql()`select work.sweep()`)
  await worker.ended
  expect(sentItems().slice(before)).toEqual([first])
  await scene().recover()
  await scene().itemIn(other, 'completed')
})
