import type { Database } from '../database/client.ts'

/** The heartbeat of this process. */
export type Heartbeat = {
  /**
   * Writes it for these pools, and returns how many of them were unknown. `places`: how many calls to one supplier each
   * of these makes at once.
   */
  beat: (poolIds: string[], places?: number) => Promise<number | null>
  /**
   * Until when no other worker can have declared this one dead and ended its leases, as a time of `performance.now()`.
   */
  aliveUntil: () => number
}

/** After this time without a heartbeat, in milliseconds, a pool counts as dead in `core.dead_pools`. */
export const deadAfterMs = 10_000

export function createHeartbeat(db: Database): Heartbeat {
  let until = Number.NEGATIVE_INFINITY
  return {
    beat: async (pool_ids, places = 0) => {
      // The database writes its time after this one.
      const calledAt = performance.now()
      const unknown = await db.call('work.heartbeat', { pool_ids, places })
      until = calledAt + deadAfterMs
      return unknown
    },
    aliveUntil: () => until,
  }
}
