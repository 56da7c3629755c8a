import type postgres from 'postgres'
import { expect } from 'vitest'
import { type Order, SupplyClient } from '../../src/client/index.ts'
import { connectWorker } from '../../src/commands/connections.ts'
import { startSealing } from '../../src/commands/sealing.ts'
import { type Config, loadConfig } from '../../src/config.ts'
import { type Receiver, type ReceiverOptions, startReceiver } from '../../src/demo/receiver/receiver.ts'
import { createLog } from '../../src/log.ts'
import { createSealing, noSealing, owners } from '../../src/sealing/sealing.ts'
import type { Tracer } from '../../src/tracing/tracer.ts'
import { startWorker, type Worker } from '../../src/worker/index.ts'
import type { TestDatabase } from './database.ts'
import { eventFaults } from './openapi/fits.ts'
import { makeCatalog, makePartner, type Partner, type PartnerOptions } from './partner.ts'
import { type ScriptedSupplier, startScriptedSupplier } from './servers/scripted_supplier.ts'
import { type ApiOptions, startApi, type TestApi } from './service.ts'

export type RunningWorker = Worker & { records: { [field: string]: unknown }[] }

type TestWorkerOptions = {
  /** How long a call and a delivery may take, for a test that waits for the end of that. */
  timeoutMs?: number | undefined
  tracer?: Tracer | undefined
  crontab?: string
  pollIntervalMs?: number
}

/** Starts a worker as `npm run worker` does, but with nothing at set times unless told. */
export async function startTestWorker(
  databaseUrl: string,
  config: Partial<Config> = {},
  { timeoutMs, tracer, pollIntervalMs, crontab = '' }: TestWorkerOptions = {},
): Promise<RunningWorker> {
  const records: { [field: string]: unknown }[] = []
  const log = createLog('trace', { write: (line: string) => void records.push(JSON.parse(line)) })
  const db = connectWorker(databaseUrl)
  const defaults = loadConfig({ DATABASE_URL: databaseUrl, CALLBACK_ALLOW_NETWORKS: '127.0.0.0/8' })
  const { dataKeys } = config
  const sealing = dataKeys && (await startSealing({ dataKeys }, db, 'work', log))
  const worker = await startWorker({
    databaseUrl,
    db,
    config: { ...defaults, ...config },
    ...(sealing === undefined ? {} : { sealing }),
    log,
    ...(timeoutMs === undefined ? {} : { supplierTimeoutMs: timeoutMs, webhookTimeoutMs: timeoutMs }),
    crontab,
    pollIntervalMs,
    ...(tracer === undefined ? {} : { tracer }),
  })
  return {
    ...worker,
    records,
    stop: async () => {
      await worker.stop()
      await db.end()
    },
  }
}

/** The codes of an order, as its partner reads them. */
export const codesOf = ({ items }: Order) => items.flatMap(({ cdKeys = [] }) => cdKeys.map(({ code }) => code))

/** Has a service ask its suppliers now about all items that are open. */
export async function pollNow(sql: postgres.Sql): Promise<void> {
  // An item may end meanwhile, and is refused then. The rows before that error would stay with postgres.js.
  await sql`select count(ops.poll_now(item_id)) from ops.order_items where status = 'processing'`.catch(() => {})
}

/** What only real orders change: money, orders and calls at suppliers. */
export async function realTraces({ sql, supplier }: WholeService, { accountId }: Partner) {
  const [counts] = await sql`select (select count(*)::int from ops.ledger) as ledger,
    (select count(*)::int from ops.orders) as orders, (select count(*)::int from ops.supplier_attempts) as calls,
    (select balance from ops.accounts where account_id = ${accountId}) as balance`
  return { ...counts, asked: supplier.requests.length }
}

export type WholeService = {
  sql: postgres.Sql
  api: TestApi
  worker: RunningWorker
  supplier: ScriptedSupplier
  partner(options?: PartnerOptions): Promise<Partner>
  /** A receiver that knows the partner's signing secret. */
  receiver(partner: Partner, options?: Partial<ReceiverOptions>): Promise<Receiver>
  /** Places an order over HTTP that must be accepted, and gives it. */
  order(partner: Partner, body: object): Promise<Order>
  /** Waits until the order is final, and gives it. Asks the supplier about open items meanwhile. */
  final(partner: Partner, code: string): Promise<Order>
  read(partner: Partner, code: string): Promise<Order>
  /** Waits until the supplier is asked about an item, for which it does not wait for the next step of the polling. */
  asked(item: string): Promise<void>
  /** Ends all parts. Throws if a webhook that a receiver got differs from the OpenAPI document. */
  close(): Promise<void>
}

let counter = 0

/** The API, a worker, and a scripted supplier with the small catalog, on a database. */
export async function startWholeService(
  database: TestDatabase,
  config: Partial<Config> = {},
  options: Pick<ApiOptions, 'tracer'> = {},
): Promise<WholeService> {
  const { sql } = database
  const supplier = await startScriptedSupplier()
  await makeCatalog(sql, supplier)
  const api = await startApi(database.url, { config, ...options })
  const worker = await startTestWorker(database.url, { publicUrl: api.url, ...config }, options)
  const receivers: Receiver[] = []
  const sealing = config.dataKeys ? createSealing(config.dataKeys, '') : noSealing

  const read = (partner: Partner, code: string): Promise<Order> =>
    new SupplyClient({ baseUrl: api.url, apiKey: partner.key, giveUpAfterMs: 30_000 }).order(code)

  return {
    sql,
    api,
    worker,
    supplier,
    partner: (options) => makePartner(sql, options),
    receiver: async (partner, options = {}) => {
      const secret = async () => {
        const [row] = await sql`select secret from supply.webhook_secrets where account_id = ${partner.accountId}`
        return row && sealing.open(row.secret, owners.account(partner.accountId))
      }
      const receiver = await startReceiver({ secret, ...options })
      receivers.push(receiver)
      return receiver
    },
    order: async (partner, body) => {
      counter += 1
      const send = { key: partner.key, body: { externalOrderId: `journey-${counter}`, ...body } }
      let answer = await api.post('/b2b/orders', send)
      // A busy machine may not answer in time. A repeat is the same order.
      while (answer.status === 503) answer = await api.post('/b2b/orders', send)
      expect(answer.json).toMatchObject({ success: true })
      expect([201, 200]).toContain(answer.status)
      return answer.json.data
    },
    read,
    final: async (partner, code) => {
      const ask = async () => {
        const { status } = await read(partner, code)
        if (status === 'processing') await pollNow(sql)
        return status
      }
      await expect.poll(ask).toMatch(/completed|failed/)
      return read(partner, code)
    },
    asked: async (item) => {
      const asked = async () => {
        await pollNow(sql)
        return supplier.requestsFor(item, 'GET').length
      }
      await expect.poll(asked).toBeGreaterThan(0)
    },
    close: async () => {
      await worker.stop()
      await api.close()
      await supplier.close()
      await Promise.all(receivers.map((receiver) => receiver.close()))
      const events = receivers.flatMap(({ received }) => received.flatMap(({ event }) => event ?? []))
      expect(events.flatMap(eventFaults)).toEqual([])
    },
  }
}
