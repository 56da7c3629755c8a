import type { Database } from '../../database/client.ts'
import { type JobPool, queueAnswerMs } from './pools.ts'

type Known = Pick<JobPool, 'id' | 'jobs'>
type Fetching = Pick<JobPool, 'name' | 'fetches'>

type Unknown = { id: string; lockedAt: string; since: number }

/** If the answer to a fetch has not arrived after this time, in milliseconds, it is lost. */
export const lostAfterMs = queueAnswerMs + 500

/**
 * Returns a function that gives back lost jobs, and returns their number. A job is lost if PostgreSQL shows it as
 * locked by a pool, and the pool does not know it `lostAfterMs` later: the answer to its fetch was lost.
 */
export function createLostJobs(db: Database, pools: readonly Known[]): () => Promise<number> {
  let unknown = new Map<string, Unknown>()
  const isKnown = (id: string) => pools.some(({ jobs }) => jobs.has(id))

  return async () => {
    const compare = (lost: readonly Unknown[]) =>
      db.call('work.compare_jobs', {
        pool_ids: pools.map(({ id }) => id),
        known_ids: pools.flatMap(({ jobs }) => [...jobs]),
        lost_ids: lost.map(({ id }) => id),
        lost_locked_at: lost.map(({ lockedAt }) => lockedAt),
      })
    const before = unknown
    unknown = new Map()
    for (const { job_id: id, locked_at: lockedAt } of await compare([])) {
      const lock = `${id} ${lockedAt}`
      if (!isKnown(id)) unknown.set(lock, before.get(lock) ?? { id, lockedAt, since: performance.now() })
    }
    // Others have ended meanwhile: a fetch is under way at nearly each look.
    const lost = [...unknown.values()].filter(({ since }) => performance.now() - since >= lostAfterMs)
    if (lost.length > 0) await compare(lost)
    return lost.length
  }
}

/**
 * Returns a watchdog over pools, to be called while the database answers. It returns the name of a pool that wants jobs
 * and had no successful fetch in this many consecutive calls: such a pool needs a new process.
 */
export function createWatchdog(pools: readonly Fetching[], calls: number): () => string | undefined {
  const seen = new Map<Fetching, { fetches: number | undefined; times: number }>()
  return () => {
    for (const pool of pools) {
      const fetches = pool.fetches()
      const last = seen.get(pool)
      const times = fetches !== undefined && last?.fetches === fetches ? last.times + 1 : 0
      seen.set(pool, { fetches, times })
      if (times >= calls) return pool.name
    }
    return undefined
  }
}
