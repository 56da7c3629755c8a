import type postgres from 'postgres'

type Work<T> = (tx: postgres.TransactionSql) => Promise<T>

const withoutTriggers =
  <T>(work: Work<T>): Work<T> =>
  async (tx) => {
    await tx`set local session_replication_role = replica`
    return work(tx)
  }

/** Changes rows in a transaction that no trigger and no foreign key stops; the ledger and the logs refuse changes. */
export const unchecked = (sql: postgres.Sql, work: Work<unknown>) => sql.begin(withoutTriggers(work))

/** Runs work in a transaction that is undone, and returns the result of the work, or throws its error. */
export async function undone<T>(sql: postgres.Sql, work: Work<T>): Promise<T> {
  const undo = new Error('undo')
  let result: T | undefined
  const transaction = sql.begin(async (tx) => {
    result = await work(tx)
    throw undo
  })
  await transaction.catch((error: unknown) => {
    if (error !== undo) throw error
  })
  return result as T
}

/** The same without triggers and foreign keys. */
export const uncheckedUndone = <T>(sql: postgres.Sql, work: Work<T>) => undone(sql, withoutTriggers(work))
