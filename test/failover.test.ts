import type postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { passTime } from './support/crash/crash.ts'
import { startOrdering } from './support/crash/ordering.ts'
import { type Supervised, supervise } from './support/crash/supervise.ts'
import { audit, balanceOf } from './support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from './support/partner.ts'
import { clientOf, type ReplicatedPostgres, startReplicatedPostgres, together } from './support/servers/replication.ts'
import { type ScriptedReceiver, startScriptedReceiver } from './support/servers/scripted_receiver.ts'
import {
  type ScriptedSupplier,
  type SupplierRequest,
  startScriptedSupplier,
  takeOrdersOnce,
} from './support/servers/scripted_supplier.ts'
import { type ApiProcess, startApiProcess } from './support/servers/service_process.ts'
import { startTcpProxy, type TcpProxy } from './support/servers/tcp_proxy.ts'

const deposit = 1_000_000
const price = 10.5
// An attempt whose lease never reached its worker is over after a minute: half of it is the lease.
const polling = { interval: 50, timeout: 120_000 }

let servers: ReplicatedPostgres
// The way of the API and of one of the workers to the primary: it goes dead without a word.
let line: TcpProxy
let supplier: ScriptedSupplier
let receiver: ScriptedReceiver
let partner: Partner
let api: ApiProcess
let workers: Supervised[] = []
let sql: postgres.Sql

beforeAll(async () => {
  servers = await startReplicatedPostgres()
  line = await startTcpProxy(servers.primary.url)
  // The standby comes first, so that each process has to find the primary.
  const url = together(servers.standby.url, servers.primary.url)
  const overLine = together(servers.standby.url, line.url)
  supplier = await startScriptedSupplier()
  takeOrdersOnce(supplier)
  receiver = await startScriptedReceiver()
  const setup = clientOf(servers.primary)
  await makeCatalog(setup, supplier)
  partner = await makePartner(setup, { balance: deposit })
  await setup.end({ timeout: 1 })
  sql = clientOf(servers.standby)
  api = await startApiProcess(overLine)
  workers = await Promise.all([supervise(url), supervise(overLine)])
})

afterAll(async () => {
  api?.kill()
  await Promise.all(workers.map((worker) => worker.stop()))
  await sql?.end({ timeout: 1 })
  await Promise.all([supplier?.close(), receiver?.close(), line?.close()])
  await servers?.stop()
})

test('the primary dies under load, its standby takes over, and nothing is lost or done twice', async () => {
  const load = startOrdering(api.url, partner, 8, {
    callbackUrl: `${receiver.url}/hook`,
    items: [{ productId: products.topUp, deliveryData: { gameUserId: '123456789' } }],
  })
  await expect.poll(() => load.accepted.size, polling).toBeGreaterThan(150)
  await expect.poll(() => receiver.deliveries().length, polling).toBeGreaterThan(50)
  const before = load.accepted.size

  line.set('swallow')
  servers.killPrimary()
  await expect.poll(() => load.failures(), polling).toBeGreaterThan(0)
  await servers.promote()
  const grows = (count: () => number) => expect.poll(count, polling).toBeGreaterThan(count())
  await Promise.all([
    grows(() => load.accepted.size),
    grows(() => supplier.requests.length),
    grows(() => receiver.deliveries().length),
  ])
  await expect.poll(() => load.accepted.size, polling).toBeGreaterThan(before + 50)
  await load.stop()

  await expect.poll(() => countOf('orders', 'processing'), polling).toBe(0)
  for (const state of ['ready', 'queued', 'sending']) await expect.poll(() => countOf('events', state), polling).toBe(0)
  await passTime(sql)
  await expect.poll(() => countOf('events', 'delivered'), polling).toBe(load.accepted.size)
  await nothingWasLostOrDoneTwice(load.accepted)
})

async function countOf(view: 'orders' | 'events', state: string): Promise<number> {
  const column = view === 'orders' ? 'status' : 'state'
  const [row] = await sql`select count(*)::int as n from ops.${sql(view)} where ${sql(column)} = ${state}`
  return row?.n
}

async function nothingWasLostOrDoneTwice(accepted: Map<string, string>): Promise<void> {
  const rows = await sql`select external_order_id, order_code from ops.orders`
  expect(new Map(rows.map(({ external_order_id, order_code }) => [external_order_id, order_code]))).toEqual(accepted)
  expect(await balanceOf(sql, partner)).toBe(deposit - accepted.size * price)
  const charges =
    await sql`select order_code from ops.ledger where account_id = ${partner.accountId} and order_code is not null`
  expect(charges).toHaveLength(accepted.size)
  const references = new Set(supplier.requests.map(({ reference }) => reference))
  expect(references.size).toBe(accepted.size)
  expect([...references].filter((reference) => isSentUnasked(supplier.requestsFor(reference)))).toEqual([])
  expect(await audit(sql)).toEqual([])
}

/** Whether an order was sent again without a question in between. */
function isSentUnasked(requests: SupplierRequest[]): boolean {
  return requests.some(({ method }, index) => method === 'PUT' && requests[index - 1]?.method === 'PUT')
}
