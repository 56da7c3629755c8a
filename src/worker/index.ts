import type { Task } from 'graphile-worker'
import { alertOperators } from '../../tasks/alert_operators.ts'
import { callSupplier } from '../../tasks/call_supplier.ts'
import { deliverWaiting } from '../../tasks/deliver_waiting.ts'
import { deliverWebhook } from '../../tasks/deliver_webhook.ts'
import type { Config } from '../config.ts'
import { connect, type Database } from '../database/client.ts'
import { hostsOf } from '../database/hosts.ts'
import { type Log, safeError } from '../log.ts'
import { startMetricsServer } from '../metrics.ts'
import { createAdapters } from '../supplier/adapters.ts'
import { createResolver } from '../webhook/resolve.ts'
import { createSender } from '../webhook/send.ts'
import { createAlerts } from './alerts.ts'
import { createHousekeeping } from './housekeeping.ts'
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts'
import { createLostJobs, createWatchdog } from './pool_health.ts'
import { type Pool, startPool } from './pools.ts'
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
    | 'supplierSilentMinutes'
    | 'supplierConcurrency'
    | 'webhookConcurrency'
    | 'alertWebhookUrl'
    | 'alertWebhookFormat'
    | 'retainDays'
    | 'host'
    | 'workerMetricsPort'
  >
  log: Log
  /** How long a call to a supplier may take, in milliseconds; for tests. The default is that of `createAdapters`. */
  supplierTimeoutMs?: number
  /** How long a delivery attempt may take, in milliseconds; for tests. The default is that of `createSender`. */
  webhookTimeoutMs?: number
}

export type Worker = {
  /** Where Prometheus finds the metrics; undefined where that is off. */
  metricsPort: number | undefined
  /** Settles with a reason if the worker cannot go on; its process must then end and be restarted. */
  failed: Promise<string>
  /** Takes no new jobs, lets those under way end (supplier calls for 20 s at most), gives the rest back. */
  stop(): Promise<void>
}

/** How often each worker sweeps, in milliseconds. A sweep looks at a pool's lock at most every 4 s. */
export const sweepMs = 5_000
/** In so many sweeps running a pool may be without a fetch that ended well before its process ends. */
const sweepsWithoutFetch = 6
const fillMs = 1_000
const resumeMs = 30_000
const checkMs = 30_000
const pruneMs = 60_000
const removeOldMs = 600_000
const auditMs = 60_000
const longestDrainMs = 20_000
const hostWaitMs = 60_000

/**
 * Starts the workers of this process: a pool for suppliers, a pool for webhooks and alerts, and a pool for webhooks that
 * may take long, so that none starves another. Starts also the heartbeat, the sweeper that frees the jobs of dead
 * workers, and the metrics server where it is configured. Resolves when the pools run and are registered. Rejects with
 * one clear line on a database that was restored, until an operator has begun a recovery there.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { databaseUrl, db, config, log } = options
  // A worker that lost its database is started anew while another server takes over.
  await hostsOf(databaseUrl).wait(hostWaitMs, ({ message }) => log.warn(message))
  await refuseRestored(db)
  const metrics = createWorkerMetrics(db)
  const { host, workerMetricsPort: port } = config
  const metricsServer =
    port === undefined ? undefined : await startMetricsServer(port, host, metrics.registry)
  const lock = await takeProcessLock(databaseUrl)
  let lockIsLost = false
  lock.lost.then(() => {
    lockIsLost = true
  })
  const cutOff = new AbortController()
  const { services, closeOutside } = createServices(options, metrics, cutOff.signal)
  const { pools, registered } = await startRunners(options, services, metrics, lock.id)
  const poolIds = pools.map(({ id }) => id)
  const returnLostJobs = createLostJobs(db, pools)
  const stalledPool = createWatchdog(pools, sweepsWithoutFetch)
  const housekeeping = createHousekeeping(db, config.retainDays)
  const auditDb = connectAudit(databaseUrl)
  const hopeless = Promise.withResolvers<string>()
  // Where a registration failed, the first heartbeat makes up for it.
  let isKnown = registered
  const timers = [
    every(pruneMs, log, housekeeping.prune),
    every(removeOldMs, log, housekeeping.removeOld),
    every(auditMs, log, () => auditDb.call('work.run_audit')),
    every(resumeMs, log, async () => {
      const resumed = await db.call('work.resume_forgotten')
      if (resumed) log.error({ jobs: resumed }, 'added jobs for what nobody would have looked at')
    }),
    every(
      checkMs,
      log,
      () => db.call('work.check_suppliers', { silent_minutes: config.supplierSilentMinutes }),
      'at once',
    ),
    every(fillMs, log, () => db.call('work.fill_slots')),
    every(
      sweepMs,
      log,
      async () => {
        // The heartbeat comes first: after a pause of the process its own sweep would take it for dead.
        const unknown = await db.call('work.heartbeat', { lock_id: lock.id, pool_ids: poolIds })
        if (isKnown && unknown) hopeless.resolve('the sweeper of another worker took this one for dead')
        isKnown = true
        const returned = await returnLostJobs()
        if (returned) log.warn({ jobs: returned }, 'gave back jobs that were locked, and never arrived here')
        const stalled = stalledPool()
        if (stalled) hopeless.resolve(`the pool of ${stalled} does not look for jobs any more`)
        const freed = await db.call('work.sweep')
        if (freed) log.warn({ jobs: freed }, 'freed jobs that no worker would have taken again')
        await db.call('work.close_alerts')
      },
      'at once',
    ),
  ]

  return {
    metricsPort: metricsServer?.port,
    failed: Promise.race([
      lock.lost.then((reason) => `the worker's lock is lost: ${reason}`),
      hopeless.promise,
      ...pools.map(endOf),
    ]),
    stop: async () => {
      for (const timer of timers) clearInterval(timer)
      const swept = housekeeping.stop()
      const cutTimer = setTimeout(() => cutOff.abort(), longestDrainMs)
      await Promise.allSettled(pools.map(({ runner }) => runner.stop()))
      clearTimeout(cutTimer)
      await Promise.all([closeOutside(), swept, auditDb.end({ timeout: 0 })])
      // Who lost the database may have jobs that could not be given back: the sweeper frees those of pools that it knows.
      if (!lockIsLost) await db.call('work.remove_pools', { lock_id: lock.id }).catch(() => {})
      await Promise.all([lock.release(), metricsServer?.close()])
    },
  }
}

/** What was sent after the back-up must not be sent again by a worker that comes up on its own. */
async function refuseRestored(db: Database): Promise<void> {
  const refusal = await db.call('work.check_origin')
  if (refusal === null) return
  throw new Error(`${refusal}: before a worker runs here, call ops.begin_recovery (docs/operations.md)`)
}

/** A connection of its own for the audit, which reads much: it may take 5 s, and nothing else waits for it. */
function connectAudit(url: string): Database {
  return connect({
    url,
    role: 'supply_worker',
    max: 1,
    lockTimeoutMs: 2_000,
    statementTimeoutMs: 5_000,
    deadlineMs: 7_000,
    idleInTransactionMs: 10_000,
    applicationName: 'supply-ordering audit',
  })
}

function createServices(options: WorkerOptions, metrics: WorkerMetrics, signal: AbortSignal) {
  const { db, config, log } = options
  const adapters = createAdapters({ timeoutMs: options.supplierTimeoutMs })
  const allowNetworks = config.callbackAllowNetworks
  const resolver = createResolver({ servers: config.dnsServers, allowNetworks })
  const sender = createSender({ resolver, allowNetworks, timeoutMs: options.webhookTimeoutMs })
  const services: Services = {
    suppliers: createSupplierCalls({
      db,
      adapters,
      deadlineHours: config.supplierDeadlineHours,
      supplierCap: Math.max(1, Math.floor(config.supplierConcurrency / 2)),
      signal,
      metrics,
    }),
    webhooks: createWebhookDeliveries({ db, sender, metrics }),
    waitingWebhooks: createWebhookDeliveries({ db, sender, metrics }),
    alerts: createAlerts(db, log, { url: config.alertWebhookUrl, format: config.alertWebhookFormat }),
  }
  return { services, closeOutside: () => Promise.allSettled([sender.close(), adapters.close()]) }
}

async function startRunners(
  { databaseUrl, db, config, log }: WorkerOptions,
  services: Services,
  metrics: WorkerMetrics,
  lockId: number,
): Promise<{ pools: Pool[]; registered: boolean }> {
  const registrations: Promise<boolean>[] = []
  const register = (poolId: string) => {
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
  const pools = await Promise.all([
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
  return { pools, registered }
}

async function endOf({ runner }: Pool): Promise<string> {
  try {
    await runner.promise
    return 'a worker pool ended'
  } catch (error) {
    return `a worker pool failed: ${error instanceof Error ? error.message : 'unknown'}`
  }
}

/** Does some work again and again, for the first time after `ms` milliseconds or at once. */
function every(
  ms: number,
  log: Log,
  work: () => Promise<unknown>,
  first: 'later' | 'at once' = 'later',
): NodeJS.Timeout {
  let busy = false
  const run = async () => {
    if (busy) return
    busy = true
    try {
      await work()
    } catch (error) {
      log.warn({ error: safeError(error) }, 'a periodic task of the worker failed')
    } finally {
      busy = false
    }
  }
  if (first === 'at once') void run()
  return setInterval(run, ms)
}
