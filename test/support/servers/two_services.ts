import type postgres from 'postgres'
import { expect, vi } from 'vitest'
import type { Order } from '../../../src/client/index.ts'
import type { TestDatabase } from '../database.ts'
import { makeCatalog, makePartner, type Partner, products } from '../partner.ts'
import { startApi, type TestApi } from '../service.ts'
import { pollNow, startTestWorker } from '../whole_service.ts'
import { type ScriptedSupplier, startScriptedSupplier } from './scripted_supplier.ts'
import { startApiProcess } from './service_process.ts'

/** A whole service, of which this one is a partner: its API is a process that can be killed. */
type Upstream = {
  sql: postgres.Sql
  /** What fulfils its orders. */
  supplier: ScriptedSupplier
  /** Our account there. */
  account: Partner
  /** Its order for one of our items. */
  orderFor(itemId: string): Promise<{ order_code: string; status: string } | undefined>
  /** Makes it ask its supplier now. */
  pollNow(): Promise<void>
  kill(): void
  restart(): Promise<void>
}

/** Our own service, and its partner. Its one supplier is the upstream, of the protocol `b2b`. */
type Downstream = {
  sql: postgres.Sql
  api: TestApi
  partner: Partner
  order(items: object[]): Promise<Order>
  read(code: string): Promise<Order>
  /** Waits until the order is final, asking all the time. */
  settled(code: string): Promise<Order>
  /** Makes it ask the upstream now about all that is open. */
  pollNow(): Promise<void>
}

export type TwoServices = { upstream: Upstream; ours: Downstream; close(): Promise<void> }

let counter = 0

/** Two services over loopback, each on a database of its own with the small catalog; the prices are the same. */
export async function startTwoServices(upper: TestDatabase, lower: TestDatabase): Promise<TwoServices> {
  const supplier = await startScriptedSupplier()
  await makeCatalog(upper.sql, supplier)
  const account = await makePartner(upper.sql, { name: 'The service below' })
  const upperWorker = await startTestWorker(upper.url)
  const { lowerApi, lowerWorker } = await startBelow(lower)
  const secret = await secretOf(upper.sql, account, `${lowerApi.url}/suppliers/upstream/webhooks`)
  let upperApi = await startApiProcess(upper.url)
  const upstreamUrl = upperApi.url
  await lower.sql`select ops.upsert_supplier('upstream', ${upstreamUrl}, ${account.key}, 'b2b', push_secret => ${secret})`
  const partner = await makePartner(lower.sql)
  return {
    upstream: {
      ...{ sql: upper.sql, supplier, account },
      orderFor: async (itemId) => {
        const [order] = await upper.sql`select order_code, status from ops.orders where external_order_id = ${itemId}`
        return order as { order_code: string; status: string } | undefined
      },
      pollNow: () => pollNow(upper.sql),
      kill: () => upperApi.kill(),
      restart: async () => {
        upperApi = await startApiProcess(upper.url, { PORT: new URL(upstreamUrl).port })
      },
    },
    ours: downstream(lower.sql, lowerApi, partner),
    close: async () => {
      await Promise.all([upperWorker.stop(), lowerWorker.stop()])
      await Promise.all([upperApi.kill(), lowerApi.close(), supplier.close()])
    },
  }
}

async function startBelow({ sql, url }: TestDatabase) {
  await makeCatalog(sql, { url: 'http://127.0.0.1:9', token: 'none', code: 'upstream' })
  for (const [id, cost] of [
    [products.topUp, 10.5],
    [products.key, 20],
    [products.expensive, 100],
  ] as const) {
    await sql`select ops.upsert_offer(${id}, 'upstream', ${String(id)}, ${cost})`
  }
  const lowerApi = await startApi(url)
  const lowerWorker = await startTestWorker(url, { publicUrl: lowerApi.url })
  return { lowerApi, lowerWorker }
}

/** The secret of an account's webhooks, which is made as the first delivery begins. */
async function secretOf(sql: postgres.Sql, { accountId }: Partner, url: string): Promise<string> {
  await sql`select ops.send_test_event(${accountId}, ${url})`
  const secret = async () => (await sql`select ops.webhook_secret(${accountId}) as secret`)[0]?.secret
  // A hook may not use `expect.poll`.
  return vi.waitUntil(secret, { timeout: 45_000, interval: 20 })
}

function downstream(sql: postgres.Sql, api: TestApi, partner: Partner): Downstream {
  const read = async (code: string): Promise<Order> => {
    const { status, json } = await api.get(`/b2b/orders/${code}`, { key: partner.key })
    expect(status).toBe(200)
    return json.data
  }
  return {
    ...{ sql, api, partner, read },
    order: async (items) => {
      counter += 1
      const body = { externalOrderId: `below-${counter}`, items }
      const { json } = await api.post('/b2b/orders', { key: partner.key, body })
      expect(json).toMatchObject({ success: true })
      return json.data
    },
    settled: async (code) => {
      const ask = async () => {
        await pollNow(sql)
        return (await read(code)).status
      }
      await expect.poll(ask, { interval: 50 }).toMatch(/completed|failed/)
      return read(code)
    },
    pollNow: () => pollNow(sql),
  }
}
