import { clock, differenceInWords } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../database/client.ts'
import { type Log, safeError } from '../log.ts'
import { processName } from '../process_name.ts'
import { repeat } from '../repeat.ts'
import type { Heartbeat } from './heartbeat.ts'
import { createLostJobs, createWatchdog } from './queue/pool_health.ts'
import type { JobPool } from './queue/pools.ts'
import type { Readings } from './readings.ts'

export type PeriodicTaskOptions = {
  db: Database
  config: Pick<Config, 'supplierSilentMinutes'>
  log: Log
  pools: JobPool[]
  heartbeat: Heartbeat
  offerSync: Readings
  balances: Readings
  /** Called with the reason why this process must end. */
  onFatal: (reason: string) => void
}

/** How often each worker writes its heartbeat and sweeps, in milliseconds. */
const sweepMs = 2_000
/** How often a worker checks its pools and alerts, in milliseconds. */
const lookMs = 5_000
/** After this many consecutive checks of a pool without a successful fetch, its process ends. */
const looksWithoutFetch = 6
const fillMs = 1_000
const resumeMs = 30_000
const checkMs = 30_000
const clockMs = 10_000

/**
 * Starts the periodic tasks of a worker that run more often than once a minute: the heartbeat, the sweeper that frees
 * the jobs of dead workers, and the other maintenance of the queue. After `stop` no task begins, and none is under way.
 * The tasks that run once a minute are in `tasks/crontab`.
 */
export function startPeriodicTasks(options: PeriodicTaskOptions): { stop: () => Promise<void> } {
  const { db, config, log, offerSync, balances } = options
  const { supplierSilentMinutes: silent_minutes } = config
  const every = (ms: number, work: () => Promise<unknown>) =>
    repeat(ms, () =>
      work().catch((error) => log.warn({ error: safeError(error) }, 'a periodic task of the worker failed')),
    )
  const tasks = [
    every(resumeMs, async () => {
      const resumed = await db.call('work.resume_forgotten')
      if (resumed) log.error({ jobs: resumed }, 'found open work that had no job')
    }),
    every(clockMs, async () => {
      const plans = await db.call('work.follow_clock')
      if (plans)
        log.error({ plans }, 'the clock of the database went back, and the plans that were made before with it')
    }),
    every(checkMs, () => db.call('work.check_suppliers', { silent_minutes })),
    every(fillMs, () => db.call('work.fill_slots')),
    every(fillMs, () => db.call('work.fill_places')),
    every(fillMs, () => db.call('work.number_results')),
    every(fillMs, () => db.call('work.follow_stock')),
    every(sweepMs, createSweep(options)),
    every(sweepMs, () => compareClock(db, log)),
    every(lookMs, createLook(options)),
    every(fillMs, () => db.call('work.collect_alerts')),
    every(lookMs, () => db.call('work.compare_alerts')),
    every(fillMs, offerSync.look),
    every(sweepMs, balances.look),
  ]
  return {
    stop: async () => {
      // A heartbeat that was written later would register the pools again.
      await Promise.all(tasks.map((stop) => stop()))
    },
  }
}

/** Writes the heartbeat of this process, and frees the jobs of dead ones. */
function createSweep({ db, log, pools, heartbeat, onFatal }: PeriodicTaskOptions) {
  const poolIds = pools.map(({ id }) => id)
  return async () => {
    // The heartbeat comes first: after a pause of the process, its own sweep would declare it dead.
    const unknown = await heartbeat.beat(poolIds)
    if (unknown) onFatal('another worker declared this one dead because its heartbeat was late')
    for (let freed = await db.call('work.sweep'); freed; freed = await db.call('work.sweep')) {
      log.warn({ jobs: freed }, 'freed jobs of dead workers')
    }
  }
}

/** Checks that the pools of this process work. It is separate, so that its failure does not stop the sweep. */
function createLook({ db, log, pools, onFatal }: PeriodicTaskOptions) {
  const returnLostJobs = createLostJobs(db, pools)
  const stalledPool = createWatchdog(pools, looksWithoutFetch)
  return async () => {
    const stalled = stalledPool()
    if (stalled) onFatal(`the pool of ${stalled} does not fetch jobs any more`)
    const returned = await returnLostJobs()
    if (returned) log.warn({ jobs: returned }, 'gave back jobs that were locked for this worker and never reached it')
  }
}

/** Compares the clock of this process with the database's. */
export async function compareClock(db: Database, log: Log): Promise<void> {
  const before = clock.secondsAhead()
  const process_name = processName('worker')
  await clock.compare(() => db.call('work.compare_clock', { process_name, seconds_ahead: before }))
  const now = clock.secondsAhead()
  if (now !== null && before === null) log.error(`the clock of this process is ${differenceInWords(now)}`)
}
