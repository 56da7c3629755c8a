import { connect, type Database } from '../database/client.ts'

/** The API's connections: may execute schema `api`, and must answer within the 3 s a request has. */
export function connectApi(url: string): Database {
  return connect({
    url,
    role: 'supply_api',
    max: 10,
    statementTimeoutMs: 2_500,
    lockTimeoutMs: 1_000,
    idleInTransactionMs: 5_000,
    deadlineMs: 2_800,
    applicationName: 'supply-ordering api',
  })
}

/** The worker's connections: may execute schema `work`. */
export function connectWorker(url: string): Database {
  return connect({
    url,
    role: 'supply_worker',
    max: 10,
    statementTimeoutMs: 10_000,
    lockTimeoutMs: 2_000,
    idleInTransactionMs: 10_000,
    deadlineMs: 12_000,
    applicationName: 'supply-ordering worker',
  })
}

/** A connection for a few calls in the name of the operators, closed afterwards. */
export async function asOperator<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = connect({
    url,
    role: 'supply_operator',
    max: 1,
    statementTimeoutMs: 10_000,
    lockTimeoutMs: 2_000,
    idleInTransactionMs: 10_000,
    deadlineMs: 12_000,
    applicationName: 'supply-ordering operator',
  })
  try {
    return await work(db)
  } finally {
    await db.end()
  }
}
