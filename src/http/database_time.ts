import { withinTime } from '../database/errors.ts'

/** Does one piece of a request's work with the database; rejects as unavailable once the request's time is used up. */
export type DatabaseTime = <T>(work: () => Promise<T>) => Promise<T>

/** How long a request may wait for the database, in milliseconds, over all its calls. */
export const databaseTimeMs = 3_000

/**
 * The time that one request may spend on the database. Batches make requests wait for each other's statements, so each
 * request watches its own clock. What was asked of the database when the time is up may still take effect.
 */
export function createDatabaseTime(ms: number = databaseTimeMs): DatabaseTime {
  let left = ms
  return async (work) => {
    const began = performance.now()
    try {
      return await withinTime(left, work())
    } finally {
      left -= performance.now() - began
    }
  }
}
