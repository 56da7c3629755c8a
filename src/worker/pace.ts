import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../database/client.ts'

/** Waits for the supplier's turn for one more request, by its limit a minute over all workers. */
export type Pace = (supplier: string, signal: AbortSignal) => Promise<void>

export function createPace(db: Database): Pace {
  return async (supplier, signal) => {
    const waitMs = (await db.call('work.take_request', { supplier })) ?? 0
    // If the signal ended the wait, the request reports that.
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => undefined)
  }
}
