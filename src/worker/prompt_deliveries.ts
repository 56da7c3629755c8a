import { type Log, safeError } from '../log.ts'

export type PromptDeliveryOptions = {
  /** Takes the lease of an event's attempt, if one is due, and makes it. */
  attempt: (eventId: string) => Promise<void>
  log: Log
  /** How many may be under way at once. */
  most: number
}

export type PromptDeliveries = {
  /** How many more may begin now. */
  places(): number
  /** Begins the first attempts to deliver events that have a slot and no job, as the rows of what was recorded name them. */
  deliver(rows: Iterable<{ ready_event_id: string | null }>): void
  /** Has no more places, and resolves when all that are under way have ended. */
  end(): Promise<void>
}

/**
 * Delivers results in the process that recorded them, without the way through the queue, which costs about as much as the
 * delivery itself. What is not begun here, because the process ends or the database cannot answer, loses its slot after 10 s
 * and goes by the queue (`core.reclaim_slots`).
 */
export function createPromptDeliveries({ attempt, log, most }: PromptDeliveryOptions): PromptDeliveries {
  const underWay = new Set<Promise<void>>()
  let isEnding = false

  async function begin(eventId: string): Promise<void> {
    try {
      await attempt(eventId)
    } catch (error) {
      log.warn({ event: eventId, error: safeError(error) }, 'a delivery is left to the queue')
    }
  }

  return {
    places: () => (isEnding ? 0 : Math.max(0, most - underWay.size)),
    deliver(rows) {
      for (const { ready_event_id: eventId } of rows) {
        if (eventId === null) continue
        const delivery = begin(eventId).finally(() => underWay.delete(delivery))
        underWay.add(delivery)
      }
    },
    async end() {
      isEnding = true
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
