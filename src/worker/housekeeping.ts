import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Database } from '../database/client.ts'

export type Housekeeping = {
  /** Removes what is of no use after minutes, or days: windows of the rate limit, samples, simulated orders. */
  prune(): Promise<void>
  /** Notes how many orders the accounts have, for the totals and the pages of their lists. */
  notePositions(): Promise<void>
  /** Numbers the results whose end found the mark of their account locked. */
  numberResults(): Promise<void>
  /** Removes what was kept for as long as the settings say: attempts, raw answers, alerts. */
  removeOld(): Promise<void>
  /** Begins no other part, and resolves when the one under way has ended. */
  stop(): Promise<void>
}

/** How long the database is left alone between two parts, each of a thousand rows. */
const pauseMs = 50

/**
 * Deletes rows that were kept for long enough, in small parts: after a pause, or with a new setting, there may be many.
 * Workers that do so at the same time share the work.
 */
export function createHousekeeping(db: Database, days: Config['retainDays']): Housekeeping {
  let isEnding = false
  const underWay = new Set<Promise<void>>()

  async function inParts(remove: (isFirst: boolean) => Promise<boolean | null>): Promise<void> {
    for (let isFirst = true; !isEnding && (await remove(isFirst)); isFirst = false) await sleep(pauseMs)
  }

  function followed(work: () => Promise<void>): () => Promise<void> {
    return async () => {
      const running = work()
      const settled = running.catch(() => {}).then(() => void underWay.delete(settled))
      underWay.add(settled)
      await running
    }
  }

  const removals = [
    ['work.remove_raw_answers', days.raw],
    ['work.remove_supplier_attempts', days.attempts],
    ['work.remove_delivery_attempts', days.attempts],
    ['work.remove_supplier_events', days.attempts],
    ['work.remove_offer_changes', days.attempts],
    ['work.remove_alerts', days.alerts],
  ] as const

  return {
    prune: followed(async () => {
      await db.call('work.prune_rate_windows')
      await inParts(async () => Number(await db.call('work.prune_samples')) > 0)
      await inParts(async () => Number(await db.call('work.prune_simulated_orders')) > 0)
    }),
    notePositions: followed(() => inParts(() => db.call('work.note_order_positions'))),
    numberResults: followed(() => inParts(() => db.call('work.number_results'))),
    removeOld: followed(async () => {
      for (const [name, retained] of removals)
        await inParts((is_first) => db.call(name, { retain: `${retained} days`, is_first }))
    }),
    stop: async () => {
      isEnding = true
      await Promise.all(underWay)
    },
  }
}
