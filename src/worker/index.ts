import type { Runner, Task } from 'graphile-worker'
import { alertOperators } from '../../tasks/alert_operators.ts'
import { callSupplier } from '../../tasks/call_supplier.ts'
import { deliverWaiting } from '../../tasks/deliver_waiting.ts'
import { deliverWebhook } from '../../tasks/deliver_webhook.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/client.ts'
import { type Log, safeError } from '../log.ts'
import { startMetricsServer } from '../metrics.ts'
import { createAdapters, supplierTimeoutMs } from '../supplier/adapters.ts'
import { createResolver } from '../webhook/resolve.ts'
import { createSender, webhookTimeoutMs } from '../webhook/send.ts'
import { createAlerts } from './alerts.ts'
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts'
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
    | 'host'
    | 'workerMetricsPort'
  >
  log: Log
  /** How long a call may take, in milliseconds: to a supplier 30 s, to a receiver 10 s, unless a test says otherwise. */
  supplierTimeoutMs?: number
  webhookTimeoutMs?: number
}

export type Worker = {
  /** Where Prometheus finds the metrics; undefined where that is off. */
  metricsPort: number | undefined
  /** Settles with a reason if the worker cannot go on; its process has to end then, and be started anew. */
  failed: Promise<string>
  /** Takes no new jobs, lets those under way end (supplier calls for 20 s at most), gives the rest back. */
  stop(): Promise<void>
}

/** How often each worker sweeps, in milliseconds. A sweep looks at a pool's lock at most every 4 s. */
export const sweepMs = 5_000
const fillMs = 1_000
const pruneMs = 60_000
const longestDrainMs = 20_000

/**
 * Starts the workers of this process: one pool for suppliers, one for webhooks and alerts, and one for webhooks that
 * may take long, so that none starves another; the heartbeat, the sweeper that frees the jobs of dead workers, and the
 * metrics where they are wanted. Resolves when the pools run and the sweepers of other workers know them.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { databaseUrl, db, config, log } = options
  const metrics = createWorkerMetrics(db)
  const { host, workerMetricsPort: port } = config
  const metricsServer =
    port === undefined ? undefined : await startMetricsServer(port, host, metrics.registry)
  const lock = await takeProcessLock(databaseUrl)
  const ending = new AbortController()
  const { services, closeOutside } = createServices(options, metrics, ending.signal)
  const { runners, poolIds, registered } = await startRunners(options, services, metrics, lock.id)
  const buried = Promise.withResolvers<string>()
  // Where a registration failed, the first heartbeat makes up for it.
  let isKnown = registered
  const timers = [
    every(pruneMs, log, () => prune(db)),
    every(fillMs, log, () => db.call('work.fill_slots')),
    every(sweepMs, log, async () => {
      // First the sign of life: whoever was stopped for a while would take itself for dead.
      const unknown = await db.call('work.heartbeat', { lock_id: lock.id, pool_ids: poolIds })
      if (isKnown && unknown) buried.resolve('the sweeper of another worker took this one for dead')
      isKnown = true
      const freed = await db.call('work.sweep')
      if (freed) log.warn({ jobs: freed }, 'freed jobs that no worker would have taken again')
    }),
  ]

  return {
    metricsPort: metricsServer?.port,
    failed: Promise.race([
      lock.lost.then((reason) => `the worker's lock is lost: ${reason}`),
      buried.promise,
      ...runners.map(endOf),
    ]),
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      const cut = setTimeout(() => ending.abort(), longestDrainMs)
      await Promise.allSettled(runners.map((runner) => runner.stop()))
      clearTimeout(cut)
      await closeOutside()
      await db.call('work.remove_pools', { lock_id: lock.id }).catch(() => {})
      await Promise.all([lock.release(), metricsServer?.close()])
    },
  }
}

/** Forgets what is of no use any more; in small parts, for there may be much of it after a pause. */
async function prune(db: Database): Promise<void> {
  await db.call('work.prune_rate_windows')
  while (Number(await db.call('work.prune_samples')) > 0);
}

function createServices(options: WorkerOptions, metrics: WorkerMetrics, signal: AbortSignal) {
  const { db, config, log } = options
  const adapters = createAdapters({ timeoutMs: options.supplierTimeoutMs ?? supplierTimeoutMs })
  const allowNetworks = config.callbackAllowNetworks
  const resolver = createResolver({ servers: config.dnsServers, allowNetworks })
  const sender = createSender({
    resolver,
    allowNetworks,
    timeoutMs: options.webhookTimeoutMs ?? webhookTimeoutMs,
  })
  const services: Services = {
    suppliers: createSupplierCalls({
      db,
      adapters,
      deadlineHours: config.supplierDeadlineHours,
      supplierCap: Math.max(1, Math.floor(config.supplierConcurrency / 2)),
      signal,
      onFinished: metrics.supplierCall,
    }),
    webhooks: createWebhookDeliveries({ db, sender, onFinished: metrics.delivery }),
    waitingWebhooks: createWebhookDeliveries({ db, sender, onFinished: metrics.delivery }),
    alerts: createAlerts(db, log, config.alertWebhookUrl),
  }
  return { services, closeOutside: () => Promise.allSettled([sender.close(), adapters.close()]) }
}

async function startRunners(
  { databaseUrl, db, config, log }: WorkerOptions,
  services: Services,
  metrics: WorkerMetrics,
  lockId: number,
): Promise<{ runners: Runner[]; poolIds: string[]; registered: boolean }> {
  const poolIds: string[] = []
  const registrations: Promise<boolean>[] = []
  const register = (poolId: string) => {
    poolIds.push(poolId)
    const registered = db
      .call('work.register_pool', { pool_id: poolId, lock_id: lockId })
      .then(() => true)
      .catch((error: unknown) => {
        log.warn({ error: safeError(error) }, 'a worker pool could not be registered')
        return false
      })
    registrations.push(registered)
  }
  const pool = { databaseUrl, log, onPool: register }
  const timed = (tasks: { [name: string]: Task }) =>
    Object.fromEntries(Object.entries(tasks).map(([name, task]) => [name, metrics.timed(name, task)]))
  const runners = await Promise.all([
    startPool({
      ...pool,
      name: 'suppliers',
      concurrency: config.supplierConcurrency,
      tasks: timed({ call_supplier: callSupplier(services) }),
    }),
    startPool({
      ...pool,
      name: 'webhooks',
      concurrency: config.webhookConcurrency,
      tasks: timed({
        deliver_webhook: deliverWebhook(services),
        alert_operators: alertOperators(services),
      }),
    }),
    startPool({
      ...pool,
      name: 'waiting webhooks',
      concurrency: config.webhookConcurrency,
      tasks: timed({ deliver_waiting: deliverWaiting(services) }),
    }),
  ])
  const registered = (await Promise.all(registrations)).every((done) => done)
  return { runners, poolIds, registered }
}

async function endOf(runner: Runner): Promise<string> {
  try {
    await runner.promise
    return 'a worker pool ended'
  } catch (error) {
    return `a worker pool failed: ${error instanceof Error ? error.message : 'unknown'}`
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
