import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { completes } from '../support/crash/crash_scene.ts'
import { supervise } from '../support/crash/supervise.ts'
import { testDatabase } from '../support/database.ts'
import { audit, place } from '../support/orders.ts'
import { makeCatalog, makePartner, type Partner } from '../support/partner.ts'
import { type ScriptedReceiver, startScriptedReceiver, taken } from '../support/servers/scripted_receiver.ts'
import { type ScriptedSupplier, startScriptedSupplier } from '../support/servers/scripted_supplier.ts'
import { type ServiceProcess, startWorkerProcess } from '../support/servers/service_process.ts'
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp_proxy.ts'

// A middlebox between a worker and its database drops connections silently.
const database = testDatabase({ catalog: true })
const sql = () => database.sql
let supplier: ScriptedSupplier
let receiver: ScriptedReceiver
let network: TcpProxy
let worker: ServiceProcess
let partner: Partner

beforeAll(async () => {
  supplier = await startScriptedSupplier()
  supplier.setAnswer(() => completes)
  receiver = await startScriptedReceiver()
  receiver.answer(() => taken)
  await makeCatalog(sql(), supplier)
  partner = await makePartner(sql(), { balance: 100_000 })
  network = await startTcpProxy(database.url)
  worker = await startWorkerProcess(network.url)
})
afterEach(async () => {
  expect(await audit(sql())).toEqual([])
})
afterAll(async () => {
  await worker.kill()
  await network.close()
  await supplier.close()
  await receiver.close()
})

const polling = { interval: 20 }

/** Places orders and waits until all are delivered. */
async function deliver(count: number, timeout = 45_000): Promise<void> {
  const orders = await Promise.all(
    Array.from({ length: count }, () => place(sql(), partner, { callbackUrl: receiver.url })),
  )
  const codes = orders.map(({ body }) => body.code)
  const open = () => sql()`select from ops.events where order_code = any(${codes}) and state = 'delivered'`
  await expect.poll(open, { ...polling, timeout }).toHaveLength(count)
}

/** The worker's sessions that listen for new jobs. */
async function listeners(): Promise<number[]> {
  const rows = await sql()`
    select pid from pg_stat_activity
    where datname = current_database() and (query ~* '^(un)?listen' or query = '') and application_name like 'supply-ordering worker %s'`
  return rows.map(({ pid }) => pid)
}

const lives = () => Promise.race([worker.ended, 'it lives'])

test('the worker sends and delivers an order although each of its connections died silently before', async () => {
  // So many that each of the worker's connections has been used, and waits.
  await deliver(60)
  let before: number[] = []
  const look = async () => {
    before = await listeners()
    return before
  }
  // A connection that was just made looks like one for a moment.
  await expect.poll(look, polling).toHaveLength(3)
  network.forget()
  await deliver(1)

  const renewed = async () => (await listeners()).filter((pid) => !before.includes(pid))
  await expect.poll(renewed, polling).toHaveLength(3)
  await sql()`select pg_terminate_backend(pid) from unnest(${before}::int[]) as pid`
  await deliver(1)
  expect(await lives()).toBe('it lives')
})

test('a job whose fetch never reached the worker is given back and runs', async () => {
  worker.signal('SIGSTOP')
  const order = await place(sql(), partner)
  const item = order.body.items[0]?.id ?? ''
  const lost = network.loseAnswerWith(item)
  worker.signal('SIGCONT')
  await lost
  const [job] = await sql()`select locked_by from ops.queue where subject = ${item}`
  expect(job?.locked_by).toMatch(/^pool-/)
  await supplier.waitForRequest(() => supplier.requestsFor(item).length > 0)
  await expect.poll(() => sql()`select from ops.queue where subject = ${item}`, polling).toHaveLength(0)
  expect(supplier.requestsFor(item).map(({ method }) => method)).toEqual(['PUT'])
  expect(await lives()).toBe('it lives')
})

test('every order is delivered although the connections of the queue are cut under load, by the worker or a successor', async () => {
  const supervised = await supervise(database.url)
  // An attempt whose worker ended meanwhile counts as lost: its next rung comes after a minute.
  const delivered = deliver(150, 150_000)
  for (let cut = 0; cut < 4; cut += 1) {
    await setTimeout(400)
    await sql()`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name ~ '^supply-ordering worker (suppliers|webhooks)$'`
  }
  await delivered
  await supervised.stop()
}, 200_000)
