import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Runs work until no other session's lock is in its way. `undo` is what makes a failed attempt unhappen. */
export type Retry = <T>(work: () => Promise<T>, undo?: string) => Promise<T>

export type RetryOptions = {
  client: pg.Client
  /** Opens another connection, which sees who blocks `client`. */
  connect: () => Promise<pg.Client>
  /** For how long a lock is asked for again and again, in milliseconds. */
  lockPatienceMs: number
  log: (line: string) => void
}

/** How long one attempt waits for a lock. Whoever comes after it waits for so long too. */
export const lockTimeout = '200ms'

const attempts = 8
const longestPauseMs = 2_000
const lookMs = 40
const lockNotAvailable = '55P03'

// What another session can cause and a repeat can cure: a lock not granted, a deadlock, and two databases of
// one cluster that make the same roles or grants at the same moment.
const transientCodes = new Set([lockNotAvailable, '40P01', '40001', 'XX000', '42710', '23505'])

/**
 * A retry for the work of one migrating connection. Pauses let others pass and grow longer. A lock that is not granted
 * is asked for again until `lockPatienceMs` have passed; then the error names the sessions that hold it.
 */
export function createRetry({ client, connect, lockPatienceMs, log }: RetryOptions): Retry {
  return async (work, undo = 'rollback') => {
    const started = performance.now()
    let watch: Watch | undefined
    let named: boolean | undefined
    const waitForLock = async (error: unknown) => {
      const blockers = watch?.blockers ?? 'another session'
      if (performance.now() - started > lockPatienceMs) throw gaveUp(error, blockers)
      const isNamed = watch?.blockers !== undefined
      if (isNamed !== named) log(`waiting for a lock: ${blockers} is in the way`)
      named = isNamed
      watch ??= await startWatch(client, connect)
    }
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await (watch === undefined ? work() : watch.during(work))
        } catch (error) {
          await client.query(undo).catch(() => {})
          const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
          const code = cause instanceof pg.DatabaseError ? cause.code : undefined
          if (code === lockNotAvailable) await waitForLock(error)
          else if (!transientCodes.has(code ?? '') || attempt >= attempts) throw error
          else log(`trying again: ${error}`)
          await sleep(Math.min(longestPauseMs, attempt * 150) * (0.5 + Math.random()))
        }
      }
    } finally {
      await watch?.stop()
    }
  }
}

function gaveUp(error: unknown, blockers: string): Error {
  const text = error instanceof Error ? error.message : String(error)
  return new Error(`${text}; ${blockers} is in the way: end its transaction, then migrate again`)
}

type Watch = {
  /** The sessions that were last seen in the way, in words. */
  blockers: string | undefined
  during: <T>(work: () => Promise<T>) => Promise<T>
  stop: () => Promise<void>
}

/** Watches who blocks a session. Where that cannot be seen, it names nobody. */
async function startWatch(client: pg.Client, connect: RetryOptions['connect']): Promise<Watch | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const observer = await connect().catch(() => undefined)
  if (observer === undefined) return undefined
  const watch: Watch = {
    blockers: undefined,
    during: async (work) => {
      const ended = new AbortController()
      const looking = look(ended.signal)
      try {
        return await work()
      } finally {
        ended.abort()
        await looking
      }
    },
    stop: () => observer.end(),
  }
  const look = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const seen = await observer
        .query<{ blockers: string | null }>(blockersQuery, [rows[0]?.pid])
        .catch(() => undefined)
      if (seen === undefined) return
      watch.blockers = seen.rows[0]?.blockers ?? watch.blockers
      await sleep(lookMs, undefined, { signal }).catch(() => {})
    }
  }
  return watch
}

// A prepared transaction blocks as process 0.
const blockersQuery = `
  select string_agg(coalesce(
    format('session %s (login %s, application %s, %s, its transaction open for %s s, statement: %s)',
      a.pid, a.usename, coalesce(nullif(a.application_name, ''), 'unnamed'), coalesce(a.state, a.backend_type),
      round(extract(epoch from clock_timestamp() - a.xact_start)),
      left(regexp_replace(a.query, '\\s+', ' ', 'g'), 100)),
    case b.pid when 0 then 'a prepared transaction' else 'session ' || b.pid end), ' and ' order by b.pid) as blockers
  from (select distinct u.pid from unnest(pg_blocking_pids($1)) as u (pid)) as b
  left join pg_stat_activity a on a.pid = b.pid`
