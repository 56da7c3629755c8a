import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { connectionSurvives, isReadOnly, isServerError, isUnavailable } from '../../database/errors.ts'
import type { Log } from '../../log.ts'

export type RepeatOptions = {
  pool: pg.Pool
  log: Log
  /** Is told of jobs of which the queue knows what became of them, or has to find out by itself. */
  onTold: (jobIds: string[]) => void
  /** Is told why the queue could not be told what became of jobs. They stay locked. */
  onGivenUp: (reason: string) => void
}

export type Repeating = {
  /** From now on, statements are repeated until the database answers them. */
  begin(): void
  /** From now on, they are given up after a few seconds, so that the pool can end without its database. */
  end(): void
  /** Resolves when no statement is under way. */
  idle(): Promise<void>
}

type Statement = [query: string | pg.QueryConfig, values?: unknown[]]

// The waits before a statement is repeated, in milliseconds.
const shortestWaitMs = 50
const longestWaitMs = 1_000
// How long a statement of a pool that ends is tried, in milliseconds.
const lastTriesMs = 5_000
// How long what may have taken effect is repeated though it unlocks jobs, in milliseconds: a failed job is not taken again
// before, and whoever has it then must not lose it.
const unlockingMs = 2_000

/**
 * Has the pool repeat each statement that the database could not answer. graphile-worker does not wait for what completes
 * or fails a job: where that rejects, it closes the pool and miscounts from then on what is under way, so that the pool
 * never ends, or nobody handles it, which ends the process. So that never rejects. A statement of the queue is a
 * transaction of its own, and may be repeated although it had taken effect; jobs that were taken and never heard of, or
 * never given back, are found (`pool_health.ts`). An error that will last, as a missing right, is not repeated.
 *
 * Only statements between `connect()` and `release()` are meant: who listens asks by callback, and has its connection.
 */
export function repeatStatements({ pool, log, onTold, onGivenUp }: RepeatOptions): Repeating {
  const connect = pool.connect.bind(pool)
  const underWay = new Set<Promise<unknown>>()
  let patienceMs = 0

  async function once([query, values]: Statement): Promise<unknown> {
    const client = await connect()
    let broken: Error | undefined
    try {
      return await client.query(query, values)
    } catch (error) {
      if (!survives(error)) broken = error as Error
      throw error
    } finally {
      client.release(broken)
    }
  }

  async function repeat(statement: Statement): Promise<unknown> {
    const told = jobsTold(statement)
    const began = performance.now()
    let mayHaveEffect = false
    for (let wait = shortestWaitMs; ; wait = Math.min(2 * wait, longestWaitMs)) {
      try {
        const answer = await once(statement)
        onTold(told)
        return answer
      } catch (error) {
        const lasted = performance.now() - began
        const reason = error instanceof Error ? error.message : 'unknown'
        mayHaveEffect ||= !survives(error)
        if (mayHaveEffect && lasted >= unlockingMs && unlocks(statement)) {
          onTold(told)
          return nothing
        }
        if (!mayPass(error) || lasted >= patienceMs) {
          if (told.length === 0) throw error
          log.error({ reason, jobs: told.length }, 'the queue cannot be told what became of jobs')
          onGivenUp(reason)
          return nothing
        }
        if (wait === shortestWaitMs) log.warn({ reason }, 'a statement of the queue is repeated')
      }
      await sleep(wait * (0.5 + Math.random() / 2))
    }
  }

  function query(...statement: Statement): Promise<unknown> {
    refuseTransaction(statement)
    const result = repeat(statement)
    const settled: Promise<unknown> = result.then(
      () => underWay.delete(settled),
      () => underWay.delete(settled),
    )
    underWay.add(settled)
    return result
  }

  const client = { query, release: () => {} } as unknown as pg.PoolClient
  pool.connect = ((callback?: Parameters<typeof connect>[0]) =>
    callback ? connect(callback) : Promise.resolve(client)) as typeof connect
  return {
    begin: () => {
      patienceMs = Number.POSITIVE_INFINITY
    },
    end: () => {
      patienceMs = lastTriesMs
    },
    idle: async () => {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}

const nothing = { rows: [], rowCount: 0 }

/** Whether the connection that gave this error can serve the next statement. Where it reads only, another server is found. */
const survives = (error: unknown) => connectionSurvives(error) && !isReadOnly(error)

/** Whether a statement that failed so may succeed later. What the server did not say may be about the connection alone. */
const mayPass = (error: unknown) => !isServerError(error) || isUnavailable(error)

const nameOf = ([query]: Statement) => (typeof query === 'string' ? '' : query.name?.split('/')[0])

/** The jobs that a statement completes or fails, where graphile-worker does not wait for it. */
function jobsTold(statement: Statement): string[] {
  const [query] = statement
  const values: unknown[] = typeof query === 'string' ? [] : (query.values ?? [])
  switch (nameOf(statement)) {
    case 'complete_job':
      return [String(values[0])]
    case 'complete_jobs':
      return (values[0] as unknown[]).map(String)
    case 'fail_job':
      return (JSON.parse(String(values[1])) as { jobId: string }[]).map(({ jobId }) => jobId)
    default:
      return []
  }
}

const unlocks = (statement: Statement) => ['fail_job', 'return_job'].includes(nameOf(statement) ?? '')

// Its statements would go to different connections. Only migrations of the queue's schema have one.
function refuseTransaction([query]: Statement): void {
  if (query === 'begin')
    throw new Error('the schema of the queue is not that of this release: run npm run migrate')
}
