import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { isUnavailableState } from '../../database/errors.ts'
import type { Log } from '../../log.ts'

// The waits before a statement is repeated, in milliseconds.
const shortestWaitMs = 50
const longestWaitMs = 1_000
// How long a statement of a pool that ends is tried, in milliseconds.
const lastTriesMs = 5_000

export type Repeating = {
  /** From now on, statements are repeated until the database answers them. */
  begin(): void
  /** From now on, they are given up after a few seconds, so that the pool can end without its database. */
  end(): void
}

/**
 * Has the pool repeat each statement that the database could not answer. graphile-worker completes jobs by batches; where
 * one fails, it closes, and its count of what is under way is wrong from then on, so that it never ends. A statement of
 * the queue is a transaction of its own, and harmless if it had taken effect: to complete, fail or return a job once more
 * does nothing, and jobs that were taken and never heard of are found (`pool_health.ts`). An error that lasts, as a
 * missing right, is thrown at once.
 *
 * Only statements between `connect()` and `release()` are meant: who listens asks by callback, and has its connection.
 */
export function repeatStatements(pool: pg.Pool, log: Log): Repeating {
  const connect = pool.connect.bind(pool)
  let patienceMs = 0

  async function once(statement: Parameters<pg.PoolClient['query']>): Promise<unknown> {
    const client = await connect()
    let broken: Error | undefined
    try {
      return await client.query(...statement)
    } catch (error) {
      if (!isOrdinary(error)) broken = error as Error
      throw error
    } finally {
      client.release(broken)
    }
  }

  async function query(...statement: Parameters<pg.PoolClient['query']>): Promise<unknown> {
    refuseTransaction(statement[0])
    const began = performance.now()
    for (let wait = shortestWaitMs; ; wait = Math.min(2 * wait, longestWaitMs)) {
      try {
        return await once(statement)
      } catch (error) {
        if (!mayPass(error) || performance.now() - began >= patienceMs) throw error
        const reason = error instanceof Error ? error.message : 'unknown'
        if (wait === shortestWaitMs) log.warn({ reason }, 'a statement of the queue is repeated')
      }
      await sleep(wait)
    }
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
  }
}

/** Whether an error came from a statement, on a connection that can serve the next one. */
function isOrdinary(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.severity === 'ERROR'
}

/** Whether a statement that failed so may succeed later. What has no SQLSTATE says that there was no connection. */
function mayPass(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || isUnavailableState(error.code ?? '')
}

// Its statements would go to different connections. Only migrations of the queue's schema have one.
function refuseTransaction(statement: unknown): void {
  if (statement === 'begin')
    throw new Error('the schema of the queue is not that of this release: run npm run migrate')
}
