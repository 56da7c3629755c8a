import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Logger,
  parseCrontab,
  type Runner,
  run,
  type TaskList,
  type WorkerEvents,
  type WorkerPool,
} from 'graphile-worker'
import pg from 'pg'
import { clientsOf } from '../../database/connections/node_postgres.ts'
import { plansByKey } from '../../database/connections/pool.ts'
import type { Log } from '../../log.ts'
import { discardSilent } from './connections.ts'
import { createWakeUps, type WakeUps } from './wake_ups.ts'

export type JobPoolOptions = {
  databaseUrl: string
  name: string
  concurrency: number
  tasks: TaskList
  /** The crontab, in graphile-worker's form. */
  crontab?: string
  /** How often the pool looks for jobs of which it was not notified, in milliseconds; for tests. */
  pollIntervalMs?: number | undefined
  log: Log
  /** Called with the id under which the pool locks jobs, as it begins to fetch. If it rejects, so does the start. */
  onPool: (poolId: string) => Promise<void>
}

export type JobPool = {
  runner: Runner
  name: string
  /** The id under which the pool locks jobs. */
  id: string
  /** Settles with a reason if the pool ended, or cannot continue. */
  failed: Promise<string>
  /** The jobs that the pool has fetched, and that have neither ended nor been given back. */
  jobs: ReadonlySet<string>
  /** Whether the pool holds no job: each of its jobs was given back, or its end is written. */
  isClean(): boolean
  /** How often the pool has fetched or looked for jobs; undefined while it has more than its workers can take. */
  fetches(): number | undefined
  /** Fetches jobs now, or after so many milliseconds, without waiting for the next poll. */
  wake(delayMs: number): void
}

// Jobs that end within this time are completed, or failed, in one statement, in milliseconds.
const completionDelayMs = 2

// How long a pool that failed may take to stop, in milliseconds.
const lastWaitMs = 1_000

// How many jobs one statement fetches. With a statement and a commit for each job, fetching would be the bottleneck.
const localQueueSize = 100

/**
 * How long the queue's statements may take, in milliseconds; they normally take a few. After this time a silent
 * connection is replaced.
 */
export const queueAnswerMs = 4_000

/** How often a pool looks for jobs of which it was not notified, in milliseconds. */
export const pollIntervalMs = 2_000

const settings = {
  role: 'supply_worker',
  synchronous_commit: 'off',
  statement_timeout: '10s',
  lock_timeout: '2s',
  // PostgreSQL stops a statement whose client has disconnected.
  client_connection_check_interval: '1s',
  ...plansByKey,
  // Only a plain scan marks the entries of jobs that are done, so that the next one passes over them.
  enable_bitmapscan: 'off',
}

/**
 * Starts pools of workers, each for its own tasks. `core.enqueue` notifies of the task of jobs, and of the milliseconds
 * until they are due. Only the first pool listens, and only the pool of that task fetches at that moment: each further
 * pool would cost PostgreSQL one transaction per job.
 */
export async function startPools(options: readonly [JobPoolOptions, ...JobPoolOptions[]]): Promise<JobPool[]> {
  let pools: JobPool[] = []
  const poolOf = (task: string) => pools[options.findIndex(({ tasks }) => Object.hasOwn(tasks, task))]
  const onJob = (message = '') => {
    const [task = '', delayMs = '0'] = message.split(' ')
    poolOf(task)?.wake(Number(delayMs))
  }
  pools = await Promise.all(options.map((each, index) => startPool(each, index === 0 ? onJob : undefined)))
  return pools
}

/**
 * Starts a pool, which listens if `onJob` is given. Its own connections commit asynchronously: losing a job's lock or
 * its completion in a crash only runs the job again, and what a job does is protected by a lease.
 */
async function startPool(options: JobPoolOptions, onJob?: (message?: string) => void): Promise<JobPool> {
  const pgPool = new pg.Pool({
    Client: clientsOf(options.databaseUrl),
    application_name: `supply-ordering worker ${options.name}`,
    max: 4,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  })
  const lost = (error: Error) => options.log.warn({ reason: error.message }, 'a queue connection was lost')
  pgPool.on('error', lost)
  pgPool.on('connect', (client) => client.on('error', lost))
  const connections = discardSilent(pgPool, queueAnswerMs)
  const jobs = new Set<string>()
  const failed = Promise.withResolvers<string>()
  const events: WorkerEvents = new EventEmitter()
  events.on('pool:listen:success', ({ client }) => {
    connections.listens(client)
    // graphile-worker sends its LISTEN after this event.
    if (onJob === undefined) setImmediate(() => client.query('unlisten *').catch(() => {}))
  })
  events.on('pool:listen:notification', ({ message }) => {
    onJob?.(message.payload)
    // Any login can notify, so these messages could make graphile-worker fetch, or stop for a migration that never
    // took place.
    message.payload = '{"count":0}'
  })
  let isBroken = false
  // The end of a job was not written, so the pool must end (graphile/worker issue 636: it never tries again). The next
  // process finds the job.
  events.on('pool:fatalError', ({ error }) => {
    isBroken = true
    failed.resolve(`the end of a job could not be written: ${reasonOf(error)}`)
  })
  const pool = follow(events, jobs)
  const announced = Promise.withResolvers<void>()
  events.on('pool:create', ({ workerPool }) => options.onPool(workerPool.id).then(announced.resolve, announced.reject))
  const started = run({
    pgPool,
    events,
    concurrency: options.concurrency,
    taskList: options.tasks,
    parsedCronItems: parseCrontab(options.crontab ?? ''),
    noHandleSignals: true,
    pollInterval: options.pollIntervalMs ?? pollIntervalMs,
    gracefulShutdownAbortTimeout: 60_000,
    logger: queueLogger(options.log, options.name),
    preset: {
      worker: {
        localQueue: { size: Math.max(localQueueSize, options.concurrency) },
        completeJobBatchDelay: completionDelayMs,
        // Without a batch graphile-worker 0.18.0 does not handle the rejection, which would end the process silently.
        failJobBatchDelay: completionDelayMs,
      },
    },
  })
  const [runner] = await Promise.all([started, announced.promise])
  const ended = runner.promise.then(
    () => failed.resolve('a worker pool ended'),
    (error) => failed.resolve(`a worker pool failed: ${reasonOf(error)}`),
  )
  const { wakeUps, ...seen } = pool()
  const stop = runner.stop.bind(runner)
  runner.stop = async (reason) => {
    wakeUps.clear()
    // After a fatal error graphile-worker 0.18.0 miscounts its completions and never resolves.
    const givenUp = failed.promise.then(() => sleep(lastWaitMs, undefined, { ref: false }))
    await Promise.race([stop(reason).then(() => ended), givenUp]).catch(() => {})
    await Promise.race([pgPool.end(), givenUp])
  }
  const isClean = () => !isBroken && jobs.size === 0
  return { runner, name: options.name, failed: failed.promise, isClean, wake: wakeUps.plan, ...seen }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Follows what a pool does by its events. Call the result once it runs. */
function follow(
  events: WorkerEvents,
  jobs: Set<string>,
): () => Pick<JobPool, 'id' | 'jobs' | 'fetches'> & { wakeUps: WakeUps } {
  let created: WorkerPool
  let fetches = 0
  let hasStock = false
  events.on('pool:create', ({ workerPool }) => {
    created = workerPool
  })
  events.on('localQueue:setMode', ({ newMode }) => {
    hasStock = newMode === 'WAITING' || newMode === 'TTL_EXPIRED'
  })
  events.on('localQueue:getJobs:complete', ({ jobs: fetched }) => {
    fetches += 1
    for (const job of fetched) jobs.add(job.id)
  })
  events.on('job:complete', ({ job }) => jobs.delete(job.id))
  events.on('localQueue:returnJobs', ({ jobs: returned }) => {
    for (const job of returned) jobs.delete(job.id)
  })
  return () => ({
    id: created.id,
    jobs,
    fetches: () => (hasStock ? undefined : fetches),
    wakeUps: createWakeUps(() => created.nudge(1)),
  })
}

// Of a failed job graphile-worker logs only the error, and payloads are ids. Its warning about fewer connections than
// workers is a debug message here, because one statement fetches many jobs.
function queueLogger(log: Log, pool: string): Logger {
  return new Logger((scope) => (level, message, meta) => {
    if (meta !== undefined && 'max' in meta && 'concurrency' in meta) log.debug({ pool }, message)
    else if (level === 'error') log.error({ pool, label: scope.label }, message)
    else if (level === 'warning') log.warn({ pool, label: scope.label }, message)
    else log.debug({ pool, label: scope.label }, message)
  })
}
