import { DatabaseDeadline } from '../database/errors.ts'

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
    let timer: NodeJS.Timeout | undefined
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new DatabaseDeadline()), Math.max(0, left))
    })
    try {
      return await Promise.race([work(), tooLate])
    } finally {
      clearTimeout(timer)
      left -= performance.now() - began
    }
  }
}
