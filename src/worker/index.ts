import type { Task } from 'graphile-worker'
import { alertOperators } from '../../tasks/alert_operators.ts'
import { callSupplier } from '../../tasks/call_supplier.ts'
import { deliverWaiting } from '../../tasks/deliver_waiting.ts'
import { deliverWebhook } from '../../tasks/deliver_webhook.ts'
import { settleSimulation } from '../../tasks/settle_simulation.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/client.ts'
import { hostsOf } from '../database/connections/hosts.ts'
import { clientsOf, refusePooler } from '../database/connections/node_postgres.ts'
import { type Log, safeError } from '../log.ts'
import { startMetricsServer } from '../metrics.ts'
import { createAdapters, type SupplierAdapters } from '../suppliers/adapters.ts'
import type { Tracer } from '../tracing/tracer.ts'
import { createResolver } from '../webhooks/resolve.ts'
import { createSender } from '../webhooks/send.ts'
import { createAlerts } from './alerts.ts'
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts'
import { createOfferSync } from './offer_sync.ts'
import { createPerform } from './perform.ts'
import { startPeriodicTasks } from './periodic_tasks.ts'
import { createPromptDeliveries } from './prompt_deliveries.ts'
import { type Pool, startPool } from './queue/pools.ts'
import type { Services } from './services.ts'
import { createSimulations } from './simulations.ts'
import { createSupplierCalls } from './supplier_calls.ts'
import { createSupplierCredentials } from './supplier_credentials.ts'
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
    | 'supplierUnsafeMinutes'
    | 'publicUrl'
    | 'supplierConcurrency'
    | 'supplierCredential'
    | 'webhookConcurrency'
    | 'alertWebhookUrl'
    | 'alertWebhookFormat'
    | 'retainDays'
    | 'host'
    | 'workerMetricsPort'
  >
  log: Log
  /** Is told of calls and deliveries; without it, nobody is. */
  tracer?: Tracer
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

const longestDrainMs = 20_000
const hostWaitMs = 60_000

/**
 * Starts the workers of this process: a pool for suppliers, a pool for webhooks and alerts, and a pool for webhooks that
 * may take long, so that none starves another. Starts also the heartbeat, the sweeper that frees the jobs of dead
 * workers, and the metrics server where it is configured. Resolves when the pools run and are registered. Rejects with
 * one clear line on a database that was restored, until an operator has begun a recovery there, and on one that knows
 * other promises of suppliers than the adapters.
 */
export async function startWorker(options: WorkerOptions): Promise<Worker> {
  const { databaseUrl, db, config, log } = options
  // A worker that lost its database is started anew while another server takes over.
  await hostsOf(databaseUrl).wait(hostWaitMs, ({ message }) => log.warn(message))
  await refusePoolerAt(databaseUrl)
  await refuseRestored(db)
  const adapters = createAdapters({ timeoutMs: options.supplierTimeoutMs })
  await refuseOtherPromises(db, adapters)
  const metrics = createWorkerMetrics(db)
  const { host, workerMetricsPort: port } = config
  const metricsServer =
    port === undefined ? undefined : await startMetricsServer(port, host, metrics.registry)
  const cutOff = new AbortController()
  const { services, offerSync, deliveries, closeOutside } = createServices(
    options,
    adapters,
    metrics,
    cutOff.signal,
  )
  const { pools, registered } = await startRunners(options, services, metrics)
  const hopeless = Promise.withResolvers<string>()
  const periodic = startPeriodicTasks({
    ...{ databaseUrl, db, config, log, pools, offerSync },
    isKnown: registered,
    onHopeless: hopeless.resolve,
  })

  return {
    metricsPort: metricsServer?.port,
    failed: Promise.race([hopeless.promise, ...pools.map(({ failed }) => failed)]),
    stop: async () => {
      const stopped = periodic.stop()
      const cutTimer = setTimeout(() => cutOff.abort(), longestDrainMs)
      await Promise.allSettled([deliveries.end(), ...pools.map(({ runner }) => runner.stop())])
      clearTimeout(cutTimer)
      await stopped
      await closeOutside()
      // A pool that could not give its jobs back stays registered: the sweeper frees them.
      const pool_ids = pools.filter(({ jobs }) => jobs.size === 0).map(({ id }) => id)
      await db.call('work.remove_pools', { pool_ids }).catch(() => {})
      await metricsServer?.close()
    },
  }
}

/** The queue must be notified of new jobs. */
async function refusePoolerAt(databaseUrl: string): Promise<void> {
  const Client = clientsOf(databaseUrl)
  const client = new Client({ connectionTimeoutMillis: 10_000, query_timeout: 10_000 })
  await client.connect()
  await refusePooler(client).finally(() => client.end())
}

/** What was sent after the back-up must not be sent again by a worker that comes up on its own. */
async function refuseRestored(db: Database): Promise<void> {
  const refusal = await db.call('work.check_origin')
  if (refusal === null) return
  throw new Error(`${refusal}: before a worker runs here, call ops.begin_recovery (docs/operations.md)`)
}

/** What is sent again relies on what the protocol's suppliers promise. */
async function refuseOtherPromises(db: Database, adapters: SupplierAdapters): Promise<void> {
  const refusal = await db.call('work.check_protocols', { promises: adapters.promises })
  if (refusal !== null) throw new Error(refusal)
}

function createServices(
  options: WorkerOptions,
  adapters: SupplierAdapters,
  metrics: WorkerMetrics,
  signal: AbortSignal,
) {
  const { db, config, log } = options
  const credentials = createSupplierCredentials(db, config.supplierCredential)
  const allowNetworks = config.callbackAllowNetworks
  const resolver = createResolver({ servers: config.dnsServers, allowNetworks })
  const sender = createSender({ resolver, allowNetworks, timeoutMs: options.webhookTimeoutMs })
  const perform = createPerform(log, options.tracer)
  const deliveries = createPromptDeliveries({
    make: (attempt) => perform.delivery(webhooks, attempt),
    log,
    most: config.webhookConcurrency,
  })
  const webhooks = createWebhookDeliveries({ db, sender, deliveries, metrics })
  const services: Services = {
    suppliers: createSupplierCalls({
      db,
      adapters,
      credentials,
      deadlineHours: config.supplierDeadlineHours,
      unsafeMinutes: config.supplierUnsafeMinutes,
      publicUrl: config.publicUrl,
      supplierCap: Math.max(1, Math.floor(config.supplierConcurrency / 2)),
      deliveries,
      signal,
      metrics,
    }),
    webhooks,
    waitingWebhooks: createWebhookDeliveries({ db, sender, deliveries, metrics }),
    alerts: createAlerts(db, log, { url: config.alertWebhookUrl, format: config.alertWebhookFormat }),
    simulations: createSimulations(db),
    perform,
  }
  const outside = [sender, adapters, credentials]
  const offerSync = createOfferSync({ db, adapters, credentials, log })
  return {
    services,
    offerSync,
    deliveries,
    closeOutside: () => Promise.allSettled(outside.map((each) => each.close())),
  }
}

async function startRunners(
  { databaseUrl, db, config, log }: WorkerOptions,
  services: Services,
  metrics: WorkerMetrics,
): Promise<{ pools: Pool[]; registered: boolean }> {
  const registrations: Promise<boolean>[] = []
  const register = (poolId: string) => {
    const registered = db
      .call('work.register_pool', { pool_id: poolId })
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
        settle_simulation: settleSimulation(services),
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
