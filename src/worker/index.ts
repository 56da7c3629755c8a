import type { Runner } from 'graphile-worker'
import { alertOperators } from '../../tasks/alert_operators.ts'
import { callSupplier } from '../../tasks/call_supplier.ts'
import { deliverWebhook } from '../../tasks/deliver_webhook.ts'
import type { Config } from '../config.ts'
import { type Database, safeError } from '../db.ts'
import type { Log } from '../log.ts'
import { createAdapters } from '../supplier/adapter.ts'
import { createResolver } from '../webhook/resolve.ts'
import { createSender } from '../webhook/send.ts'
import { createAlerts } from './alerts.ts'
import { startPool } from './pools.ts'
import { takeProcessLock } from './process_lock.ts'
import type { Services } from './services.ts'
import { createSupplierCalls } from './supplier_calls.ts'
import { createWebhookDeliveries } from './webhook_deliveries.ts'

export type WorkerOptions = {
  databaseUrl: string
  db: Database
  config: Pick<
    Config,
    | 'callbackAllowNetworks'
    | 'dnsServers'
    | 'supplierDeadlineHours'
    | 'supplierConcurrency'
    | 'webhookConcurrency'
    | 'alertWebhookUrl'
  >
  log: Log
  /** How long a call may take, in milliseconds: to a supplier 30 s, to a receiver 10 s, unless a test says otherwise. */
  supplierTimeoutMs?: number
  webhookTimeoutMs?: number
}

export type Worker = {
  /** Settles with a reason if the worker cannot go on; its process has to end then, and be started anew. */
  failed: Promise<string>
  /** Takes no new jobs, lets those under way end (supplier calls for 20 s at most), gives the rest back. */
  stop(): Promise<void>
}

const accountCap = 8
const beatMs = 10_000
const sweepMs = 5_000
const pruneMs = 60_000
const longestDrainMs = 20_000

/**
 * Starts the workers of this process: one pool for suppliers and one for webhooks and alerts, so that neither starves
 * the other, the heartbeat, and the sweeper that frees the jobs of dead workers.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { databaseUrl, db, config, log } = options
  const lock = await takeProcessLock(databaseUrl)
  const ending = new AbortController()
  const adapters = createAdapters({ timeoutMs: options.supplierTimeoutMs ?? 30_000 })
  const allowNetworks = config.callbackAllowNetworks
  const resolver = createResolver({ servers: config.dnsServers, allowNetworks })
  const sender = createSender({ resolver, allowNetworks, timeoutMs: options.webhookTimeoutMs ?? 10_000 })
  const services: Services = {
    suppliers: createSupplierCalls({
      db,
      adapters,
      deadlineHours: config.supplierDeadlineHours,
      signal: ending.signal,
    }),
    webhooks: createWebhookDeliveries({ db, sender, accountCap }),
    alerts: createAlerts(db, log, config.alertWebhookUrl),
  }

  const register = (poolId: string) => {
    db.call('work.register_pool', { pool_id: poolId, lock_key: lock.key }).catch((error: unknown) =>
      log.warn({ error: safeError(error) }, 'a worker pool could not be registered'),
    )
  }
  const pool = { databaseUrl, log, onPool: register }
  const runners: Runner[] = await Promise.all([
    startPool({
      ...pool,
      name: 'suppliers',
      concurrency: config.supplierConcurrency,
      tasks: { call_supplier: callSupplier(services) },
    }),
    startPool({
      ...pool,
      name: 'webhooks',
      concurrency: config.webhookConcurrency,
      tasks: { deliver_webhook: deliverWebhook(services), alert_operators: alertOperators(services) },
    }),
  ])

  const timers = [
    every(pruneMs, log, () => db.call('work.prune_rate_windows')),
    every(beatMs, log, () => db.call('work.beat', { lock_key: lock.key })),
    every(sweepMs, log, async () => {
      const freed = await db.call('work.rescue_jobs')
      if (freed) log.warn({ jobs: freed }, 'freed the jobs of a dead worker')
    }),
  ]

  return {
    failed: Promise.race([
      lock.lost.then((reason) => `the worker's lock is lost: ${reason}`),
      ...runners.map((runner) =>
        runner.promise.then(
          () => 'a worker pool ended',
          (error: unknown) => `a worker pool failed: ${error instanceof Error ? error.message : 'unknown'}`,
        ),
      ),
    ]),
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      const cut = setTimeout(() => ending.abort(), longestDrainMs)
      await Promise.allSettled(runners.map((runner) => runner.stop()))
      clearTimeout(cut)
      await Promise.allSettled([sender.close(), adapters.close()])
      await db.call('work.remove_pools', { lock_key: lock.key }).catch(() => {})
      await lock.release()
    },
  }
}

function every(ms: number, log: Log, work: () => Promise<unknown>): NodeJS.Timeout {
  let busy = false
  return setInterval(async () => {
    if (busy) return
    busy = true
    try {
      await work()
    } catch (error) {
      log.warn({ error: safeError(error) }, 'a periodic task of the worker failed')
    } finally {
      busy = false
    }
  }, ms)
}
