import { readFileSync } from 'node:fs'
import type { Task } from 'graphile-worker'
import { createAlertOperators } from '../../tasks/alert_operators.ts'
import { createCallSupplier } from '../../tasks/call_supplier.ts'
import { createCheckSupplier } from '../../tasks/check_supplier.ts'
import { createDeliverWebhook } from '../../tasks/deliver_webhook.ts'
import { createHousekeeping } from '../../tasks/housekeeping.ts'
import { createRunAudit } from '../../tasks/run_audit.ts'
import { createSealTyped } from '../../tasks/seal_typed.ts'
import { createSettleSimulation } from '../../tasks/settle_simulation.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/client.ts'
import { refusePooler } from '../database/connections/node_postgres.ts'
import { watchCalls } from '../database/failovers.ts'
import type { Log } from '../log.ts'
import { startMetricsServer } from '../metrics.ts'
import { noSealing, type Sealing } from '../sealing/sealing.ts'
import { createAdapters, type SupplierAdapters } from '../suppliers/adapters.ts'
import { noTracer, type Tracer } from '../tracing/tracer.ts'
import { createResolver } from '../webhooks/resolve.ts'
import { createSender } from '../webhooks/send.ts'
import { createBalanceReader } from './balance_reader.ts'
import { createHeartbeat } from './heartbeat.ts'
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts'
import { createOfferSync } from './offer_sync.ts'
import { createPace } from './pace.ts'
import { compareClock, startPeriodicTasks } from './periodic_tasks.ts'
import { type JobPool, startPools } from './queue/pools.ts'
import { retried } from './queue/retried.ts'
import { createSupplierCaller } from './supplier_caller.ts'
import { createSupplierCredentials } from './supplier_credentials.ts'
import { sendEvent } from './webhook_sender.ts'

export type WorkerOptions = {
  databaseUrl: string
  db: Database
  config: Pick<
    Config,
    | 'callbackAllowNetworks'
    | 'dnsServers'
    | 'supplierDeadlineHours'
    | 'supplierSilentMinutes'
    | 'supplierUnsafeMinutes'
    | 'publicUrl'
    | 'supplierConcurrency'
    | 'supplierCredential'
    | 'supplierHosts'
    | 'production'
    | 'webhookConcurrency'
    | 'alertWebhookUrl'
    | 'alertWebhookFormat'
    | 'retainDays'
    | 'host'
    | 'workerMetricsPort'
  >
  /** Seals codes, secrets and tokens to store them, and opens them to send them; by default nothing is sealed. */
  sealing?: Sealing
  log: Log
  /** Traces calls and deliveries. Optional. */
  tracer?: Tracer
  /** How long a call to a supplier may take, in milliseconds; for tests. The default is that of `createAdapters`. */
  supplierTimeoutMs?: number
  /** How long a delivery attempt may take, in milliseconds; for tests. The default is that of `createSender`. */
  webhookTimeoutMs?: number
  /** The crontab, in graphile-worker's form; for tests. The default is `tasks/crontab`. */
  crontab?: string
  /** How often a pool looks for jobs of which it was not notified, in milliseconds; for tests. */
  pollIntervalMs?: number | undefined
}

export type Worker = {
  /** The address of the metrics for Prometheus; undefined if they are off. */
  metricsPort: number | undefined
  /** Settles with a reason if the worker cannot go on; its process must then end and be restarted. */
  failed: Promise<string>
  /** Takes no new jobs, waits for the running ones (supplier calls for 20 s at most), and gives the rest back. */
  stop(): Promise<void>
}

const crontabFile = new URL('../../tasks/crontab', import.meta.url)
const maxDrainMs = 20_000

/**
 * Starts the workers of this process: a pool for suppliers, a pool for webhooks and alerts, and a pool for webhooks
 * that may take long, so that none starves another. Also starts the heartbeat, the sweeper that frees the jobs of dead
 * workers, and the metrics server where it is configured. Resolves when the pools run and are registered. Rejects with
 * one clear line on a database that was restored, until an operator has begun a recovery there, and on one that
 * declares other capabilities of protocols than the adapters.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { databaseUrl, db, config, log } = options
  await refusePooler(databaseUrl)
  await refuseRestored(db)
  const adapters = createAdapters({ timeoutMs: options.supplierTimeoutMs })
  await refuseOtherCapabilities(db, adapters)
  const watched = watchCalls(db, log)
  const metrics = createWorkerMetrics(db)
  const { host, workerMetricsPort: port } = config
  const metricsServer = port === undefined ? undefined : await startMetricsServer(port, host, metrics.registry)
  const stopping = new AbortController()
  const cutOff = new AbortController()
  const poolIds: string[] = []
  const heartbeat = createHeartbeat(db)
  const { tasks, firstAttempts, offerSync, balances, closeOutside } = createTasks(
    { ...options, db: watched.db },
    adapters,
    metrics,
    { stopping: stopping.signal, cutOff: cutOff.signal },
    () => poolIds[0] ?? null,
    heartbeat.aliveUntil,
  )
  // The first event is signed with the right time.
  await compareClock(db, log)
  const fatal = Promise.withResolvers<string>()
  const pools = await startPoolsOfTasks(options, tasks, metrics, async (pool_id, places) => {
    poolIds.push(pool_id)
    await heartbeat.beat(poolIds, places)
  })
  const periodic = startPeriodicTasks({
    db,
    config,
    log,
    pools,
    heartbeat,
    offerSync,
    balances,
    onFatal: fatal.resolve,
  })

  return {
    metricsPort: metricsServer?.port,
    failed: Promise.race([fatal.promise, ...pools.map(({ failed }) => failed)]),
    stop: async () => {
      stopping.abort()
      watched.stop()
      const cutTimer = setTimeout(() => cutOff.abort(), maxDrainMs)
      // The heartbeat goes on meanwhile: without it, another worker would end the leases of the calls under way.
      await Promise.allSettled([
        ...[firstAttempts.end(), offerSync.stop(), balances.stop()],
        ...pools.map(({ runner }) => runner.stop()),
      ])
      clearTimeout(cutTimer)
      await periodic.stop()
      await closeOutside()
      // A pool that still holds jobs stays registered: the sweeper frees them.
      const pool_ids = pools.filter((pool) => pool.isClean()).map(({ id }) => id)
      await db.call('work.remove_pools', { pool_ids }).catch(() => {})
      await metricsServer?.close()
    },
  }
}

/** Orders that were sent after the back-up must not be sent again by a worker that starts on its own. */
async function refuseRestored(db: Database): Promise<void> {
  const refusal = await db.call('work.check_origin')
  if (refusal === null) return
  throw new Error(`${refusal}: before a worker runs here, call ops.begin_recovery (docs/operations/backup.md)`)
}

/** The rules for sending an item again rely on the capabilities of its protocol. */
async function refuseOtherCapabilities(db: Database, adapters: SupplierAdapters): Promise<void> {
  const refusal = await db.call('work.check_protocols', { capabilities: adapters.capabilities })
  if (refusal !== null) throw new Error(refusal)
}

function createTasks(
  options: WorkerOptions,
  adapters: SupplierAdapters,
  metrics: WorkerMetrics,
  { stopping, cutOff }: { stopping: AbortSignal; cutOff: AbortSignal },
  poolId: () => string | null,
  aliveUntil: () => number,
) {
  const { db, config, log, sealing = noSealing, tracer = noTracer } = options
  const { callbackAllowNetworks: allowNetworks, publicUrl } = config
  const credentials = createSupplierCredentials(db, config, sealing)
  const resolver = createResolver({ servers: config.dnsServers, allowNetworks })
  const sender = createSender({ resolver, allowNetworks, timeoutMs: options.webhookTimeoutMs })
  const { task: deliverWebhook, firstAttempts } = createDeliverWebhook({
    db,
    poolId,
    metrics,
    sealing,
    log,
    tracer,
    send: (attempt) => sendEvent(sender, attempt, sealing, aliveUntil),
    maxFirstAttempts: config.webhookConcurrency,
  })
  const pace = createPace(db)
  const call = createSupplierCaller({ adapters, credentials, publicUrl, aliveUntil, pace, signal: cutOff, metrics })
  const tasks = {
    call_supplier: createCallSupplier({
      db,
      firstAttempts,
      metrics,
      sealing,
      log,
      tracer,
      call,
      maxCallsPerSupplier: placesOf(config),
      deadline: `${config.supplierDeadlineHours} hours`,
      unsafeAfter: `${config.supplierUnsafeMinutes} minutes`,
    }),
    deliver_webhook: deliverWebhook,
    alert_operators: createAlertOperators({
      db,
      log,
      webhook: { url: config.alertWebhookUrl, format: config.alertWebhookFormat },
    }),
    settle_simulation: createSettleSimulation(db),
    check_supplier: createCheckSupplier({
      db,
      call: (leased, signal) => call(leased, AbortSignal.any([cutOff, signal])),
    }),
    seal_typed: createSealTyped({ db, sealing }),
    housekeeping: createHousekeeping({ db, days: config.retainDays, stopping }),
    run_audit: createRunAudit(db),
  }
  return {
    tasks,
    firstAttempts,
    offerSync: createOfferSync({ db, adapters, credentials, pace, log }),
    balances: createBalanceReader({ db, adapters, credentials, pace, log }),
    closeOutside: () => Promise.allSettled([sender, adapters, credentials].map((each) => each.close())),
  }
}

/** How many calls to one supplier a worker makes at once: several suppliers can hang, and others still have places. */
function placesOf({ supplierConcurrency }: WorkerOptions['config']): number {
  return Math.ceil(supplierConcurrency / 10)
}

async function startPoolsOfTasks(
  { databaseUrl, db, config, log, pollIntervalMs, crontab = readFileSync(crontabFile, 'utf8') }: WorkerOptions,
  { deliver_webhook, call_supplier, housekeeping, run_audit, ...rest }: ReturnType<typeof createTasks>['tasks'],
  metrics: WorkerMetrics,
  onPool: (poolId: string, places: number) => Promise<void>,
): Promise<JobPool[]> {
  const pool = { databaseUrl, log, onPool: (id: string) => onPool(id, 0), pollIntervalMs }
  const onSuppliers = (id: string) => onPool(id, placesOf(config))
  const timed = (tasks: { [name: string]: Task }) =>
    Object.fromEntries(
      Object.entries(tasks).map(([name, task]) => [name, metrics.timed(name, retried(db, name, task))]),
    )
  return startPools([
    {
      ...pool,
      name: 'suppliers',
      concurrency: config.supplierConcurrency,
      tasks: timed({ call_supplier }),
      onPool: onSuppliers,
    },
    { ...pool, name: 'webhooks', concurrency: config.webhookConcurrency, tasks: timed({ deliver_webhook, ...rest }) },
    {
      ...pool,
      name: 'waiting webhooks',
      concurrency: config.webhookConcurrency,
      // Later rungs and receivers that failed recently may take long. First attempts never wait for these.
      tasks: timed({ deliver_waiting: deliver_webhook, housekeeping, run_audit }),
      crontab,
    },
  ])
}
