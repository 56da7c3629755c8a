import { setTimeout as sleep } from 'node:timers/promises'
import { type Functions, isUnavailable } from '../database/client.ts'

/** An attempt to deliver an event: what to send, and the lease to record its outcome under. */
export type LeasedAttempt = Functions['work.begin_deliveries']['result'][number]

const waits = [200, 1000, 3000]

/**
 * Repeats the recording of a result while the database cannot answer, for a few seconds: a result that is not recorded
 * counts as lost. Recording it twice is harmless: after the first time its lease has ended, so the second is stale.
 */
export async function withRetries<T>(record: () => Promise<T>): Promise<T> {
  for (const wait of waits) {
    try {
      return await record()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      await sleep(wait)
    }
  }
  return record()
}
