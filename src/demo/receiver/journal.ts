import { EventEmitter, on } from 'node:events'
import type { OrderEvent } from '../../client/index.ts'

/** A POST that arrived, and what the receiver did with it. */
export type Received = {
  /** When it had come whole. */
  at: Date
  path: string
  /** The headers of the request, with names in lower case. */
  headers: Record<string, string>
  /** Whether signature and timestamp were right; `'unknown'` while there is no secret to check them with. */
  verified: boolean | 'unknown'
  /** Whether the event had been taken before, so that a receiver would do nothing more. */
  duplicate: boolean
  /** The number of this delivery among the good ones of its event, from 1; 0 for one that was refused. */
  delivery: number
  /** Null when it was refused, or its type is unknown. */
  event: OrderEvent | null
  /** Why it was refused or ignored, in a few words; null when all was well. */
  problem: string | null
  /** The HTTP status that was answered; null when none was, on purpose. */
  status: number | null
}

/** The memory of a receiver. It is bounded: the oldest entry is dropped first. */
export type Journal = {
  /** The newest 10,000 received POSTs, in the order of the answers. */
  received: Received[]
  /** Counts one more delivery of an event; `duplicate` says whether an earlier one was taken. */
  count(eventKey: string): { delivery: number; duplicate: boolean }
  /** Notes that an event was taken. */
  take(eventKey: string): void
  /** Adds a POST and resolves what waits for it. */
  add(received: Received): void
  /**
   * Resolves to the first that fits, of those that came and those to come. Rejects with an Error after `timeoutMs`
   * milliseconds, and when the receiver is closed.
   */
  waitFor(predicate: (received: Received) => boolean, timeoutMs: number): Promise<Received>
  /** Ends all waiting with an Error. */
  close(): void
}

const maxReceived = 10_000
const maxEvents = 100_000

/** Makes the journal of a receiver; `onEvent` is called with each POST that is added. */
export function createJournal(onEvent: (received: Received) => void = () => {}): Journal {
  const received: Received[] = []
  const events = new Map<string, { deliveries: number; taken: boolean }>()
  const arrivals = new EventEmitter<{ received: [Received] }>().setMaxListeners(0)
  const closed = new AbortController()
  return {
    received,
    count(eventKey) {
      const known = events.get(eventKey) ?? { deliveries: 0, taken: false }
      known.deliveries += 1
      events.set(eventKey, known)
      forgetOldest(events)
      return { delivery: known.deliveries, duplicate: known.taken }
    },
    take(eventKey) {
      const known = events.get(eventKey)
      if (known !== undefined) known.taken = true
    },
    add(entry) {
      received.push(entry)
      if (received.length > maxReceived) received.shift()
      onEvent(entry)
      arrivals.emit('received', entry)
    },
    async waitFor(predicate, timeoutMs) {
      const found = received.find(predicate)
      if (found !== undefined) return found
      const signal = AbortSignal.any([closed.signal, AbortSignal.timeout(timeoutMs)])
      try {
        for await (const [entry] of on(arrivals, 'received', { signal })) if (predicate(entry)) return entry
      } catch (error) {
        if (!signal.aborted) throw error
      }
      if (closed.signal.aborted) throw new Error('the receiver was closed before the delivery came')
      throw new Error(`no such delivery came within ${timeoutMs} ms`)
    },
    close() {
      closed.abort()
    },
  }
}

function forgetOldest(events: Map<string, unknown>): void {
  const [oldest] = events.keys()
  if (events.size > maxEvents && oldest !== undefined) events.delete(oldest)
}
