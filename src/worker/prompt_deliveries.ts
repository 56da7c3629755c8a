import { type Log, safeError } from '../log.ts'
import type { LeasedAttempt } from './webhook_deliveries.ts'

export type PromptDeliveryOptions = {
  /** Makes an attempt, and records what came of it. */
  make: (attempt: LeasedAttempt) => Promise<void>
  log: Log
  /** How many may be under way at once. */
  most: number
}

export type PromptDeliveries = {
  /** How many more may begin now. */
  places(): number
  /** Begins the attempts that were leased with what was recorded, in the rows that say so. */
  deliver(rows: Iterable<{ leased_attempt: string | null }>): void
  /** Has no more places, and resolves when all that are under way have ended. */
  end(): Promise<void>
}

/**
 * Delivers results in the process that recorded them: the attempt is leased in the statement that ends the order, so that
 * it needs neither a job nor a statement of its own. One that is not made, because the process is killed, counts as lost
 * when its lease has ended.
 */
export function createPromptDeliveries({ make, log, most }: PromptDeliveryOptions): PromptDeliveries {
  const underWay = new Set<Promise<void>>()
  let isEnding = false

  async function begin(attempt: LeasedAttempt): Promise<void> {
    try {
      await make(attempt)
    } catch (error) {
      log.warn({ event: attempt.event_id, error: safeError(error) }, 'a delivery is left to its lease')
    }
  }

  return {
    places: () => (isEnding ? 0 : Math.max(0, most - underWay.size)),
    deliver(rows) {
      for (const { leased_attempt: text } of rows) {
        if (text === null) continue
        const delivery = begin(JSON.parse(text)).finally(() => underWay.delete(delivery))
        underWay.add(delivery)
      }
    },
    async end() {
      isEnding = true
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
