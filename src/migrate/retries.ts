import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** Runs work again until no other session's lock is in its way. A failed attempt is rolled back. */
export type Retry = <T>(work: () => Promise<T>) => Promise<T>

export type RetryOptions = {
  client: pg.Client
  /** Opens another connection, which sees the sessions that block `client`. */
  connect: () => Promise<pg.Client>
  /** How long a lock is tried for, in milliseconds. */
  lockWaitMs: number
  log: (line: string, isWait?: boolean) => void
}

/** How long one attempt waits for a lock. Other sessions that need the lock wait behind it for as long. */
export const lockTimeout = '200ms'

const maxAttempts = 8
const maxPauseMs = 2_000
const watchIntervalMs = 40
const lockNotAvailable = '55P03'

// Errors that other sessions cause and a repeat solves: a deadlock, or two databases of one cluster that make the same
// roles or grants at the same moment.
const transientCodes = new Set(['40P01', '40001', 'XX000', '42710', '23505'])

/**
 * A retry for the work of one migrating connection. In the pauses, which grow longer, other sessions get their locks.
 * After `lockWaitMs` without a lock, the error names the sessions that hold it.
 */
export function createRetry({ client, connect, lockWaitMs, log }: RetryOptions): Retry {
  return async (work) => {
    const end = performance.now() + lockWaitMs
    let watch: Watch | undefined
    try {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await work()
        } catch (error) {
          await client.query('rollback').catch(() => {})
          const code = sqlStateOf(error)
          if (code === lockNotAvailable) {
            if (performance.now() > end) throw lockError(error, watch?.blockers())
            watch ??= await watchBlockers(client, connect, log)
          } else {
            if (!transientCodes.has(code ?? '') || attempt >= maxAttempts) throw error
            log(`trying again: ${error}`)
          }
          await sleep(Math.min(maxPauseMs, attempt * 150) * (0.5 + Math.random()))
        }
      }
    } finally {
      await watch?.stop()
    }
  }
}

function sqlStateOf(error: unknown): string | undefined {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  return cause instanceof pg.DatabaseError ? cause.code : undefined
}

function lockError(error: unknown, blockers = 'another session'): Error {
  const text = error instanceof Error ? error.message : String(error)
  return new Error(`${text}; ${blockers} is in the way: end its transaction, then migrate again`)
}

type Watch = { blockers: () => string | undefined; stop: () => Promise<void> }

/** Watches the sessions that block a session, from a connection of its own, and logs the first that it sees. */
async function watchBlockers(
  client: pg.Client,
  connect: RetryOptions['connect'],
  log: RetryOptions['log'],
): Promise<Watch> {
  log('waiting for a lock of another session', true)
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const observer = await connect().catch(() => undefined)
  const stopped = new AbortController()
  let blockers: string | undefined
  const watching = (async () => {
    while (observer !== undefined && !stopped.signal.aborted) {
      const seen = await observer
        .query<{ blockers: string | null }>(blockersQuery, [rows[0]?.pid])
        .catch(() => undefined)
      const text = seen?.rows[0]?.blockers ?? undefined
      if (text !== undefined && blockers === undefined) log(`waiting for a lock: ${text} is in the way`, true)
      blockers = text ?? blockers
      await sleep(watchIntervalMs, undefined, { signal: stopped.signal }).catch(() => {})
    }
  })()
  return {
    blockers: () => blockers,
    stop: async () => {
      stopped.abort()
      await watching
      await observer?.end()
    },
  }
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
