import { setTimeout as sleep } from 'node:timers/promises'
import { byOrdinal } from '../database/batch.ts'
import { isUnavailable } from '../database/client.ts'

/** Which of the asked-for ids were claimed, by their place among them; null for those that were not. */
export function claims<Row extends { ordinal: number }>(ids: string[], rows: Row[]): Map<number, Row | null> {
  const claimed = byOrdinal(rows)
  return new Map(ids.map((_, index) => [index, claimed.get(index) ?? null]))
}

const waits = [200, 1000, 3000]

/**
 * Repeats the recording of a result while the database cannot answer, for a few seconds: a result that is not recorded
 * counts as lost. Recording twice is harmless, for the claim fences it.
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
