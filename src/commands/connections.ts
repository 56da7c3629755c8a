import { connect, type Database, type DatabaseOptions } from '../database/client.ts'
import { databaseTimeMs } from '../http/database_time.ts'

type Times = Pick<
  DatabaseOptions,
  'lockTimeoutMs' | 'statementTimeoutMs' | 'deadlineMs' | 'idleInTransactionMs'
>

/**
 * The times of a connection as given, in milliseconds. Throws unless the wait for a lock ends before the statement,
 * the statement before the call, and the call before `limitMs`: each has to report that it took too long.
 */
export function inOrder(times: Times, limitMs = Number.POSITIVE_INFINITY): Times {
  const { lockTimeoutMs, statementTimeoutMs, deadlineMs } = times
  if (lockTimeoutMs < statementTimeoutMs && statementTimeoutMs < deadlineMs && deadlineMs < limitMs)
    return times
  throw new Error(
    `times out of order: ${lockTimeoutMs} < ${statementTimeoutMs} < ${deadlineMs} < ${limitMs} must hold`,
  )
}

const apiTimes = inOrder(
  { lockTimeoutMs: 1_000, statementTimeoutMs: 2_500, deadlineMs: 2_800, idleInTransactionMs: 5_000 },
  databaseTimeMs,
)

/** The times of connections that no request waits for. */
export const workerTimes = inOrder({
  lockTimeoutMs: 2_000,
  statementTimeoutMs: 10_000,
  deadlineMs: 12_000,
  idleInTransactionMs: 10_000,
})

/** The API's connections: may execute schema `api`. */
export function connectApi(url: string): Database {
  return connect({
    url,
    role: 'supply_api',
    max: 10,
    ...apiTimes,
    applicationName: 'supply-ordering api',
  })
}

/** The worker's connections: may execute schema `work`. */
export function connectWorker(url: string): Database {
  return connect({
    url,
    role: 'supply_worker',
    max: 10,
    ...workerTimes,
    applicationName: 'supply-ordering worker',
  })
}

/** A connection for a few calls in the name of the operators, closed afterwards. */
export async function asOperator<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = connect({
    url,
    role: 'supply_operator',
    max: 1,
    ...workerTimes,
    applicationName: 'supply-ordering operator',
  })
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}
