import type postgres from 'postgres'
import { expect } from 'vitest'

/**
 * Has a transaction of another session do `hold`, starts `work`, waits until that waits for a lock, has `look` look around,
 * ends the transaction, and returns the result of the work.
 */
export async function whileHeld<T>(
  sql: postgres.Sql,
  hold: (holder: postgres.Sql) => Promise<unknown>,
  work: () => Promise<T>,
  look: () => Promise<void> = async () => {},
): Promise<T> {
  const holder = await sql.reserve()
  try {
    await holder`begin`
    await hold(holder)
    const working = work()
    working.catch(() => {})
    await expect.poll(() => sessionsThatWait(sql), { interval: 10, timeout: 45_000 }).toHaveLength(1)
    await look()
    await holder`commit`
    return await working
  } finally {
    await holder`rollback`
    holder.release()
  }
}

/** The sessions of this database that wait for a lock: other tests use the same server. */
export const sessionsThatWait = (sql: postgres.Sql) =>
  sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
