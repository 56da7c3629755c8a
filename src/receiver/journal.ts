import type { OrderEvent } from './event.ts'

/** A POST that came, and what became of it. */
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
  /** The how-manieth good delivery of its event this is, as seen here; 0 for one that was refused. */
  delivery: number
  /** Null when it was refused, or its type is unknown. */
  event: OrderEvent | null
  /** Why it was refused or ignored, in a few words; null when all was well. */
  problem: string | null
  /** The HTTP status that was answered; null when none was, on purpose. */
  status: number | null
}

/** What a receiver remembers, within limits: the oldest is forgotten first. */
export type Journal = {
  received: Received[]
  /** Counts one more delivery under the key, and tells whether an earlier one was taken. */
  count(key: string): { delivery: number; duplicate: boolean }
  /** Remembers that the event under the key was taken. */
  take(key: string): void
  /** Notes what came and tells all who wait for it. */
  add(received: Received): void
  waitFor(predicate: (received: Received) => boolean, timeoutMs: number): Promise<Received>
  /** Ends all waiting with an Error. */
  close(): void
}

const receivedLimit = 10_000
const keysLimit = 100_000

type Waiting = {
  fits: (received: Received) => boolean
  found: (received: Received) => void
  gaveUp: () => void
}

/** Makes the memory of a receiver; `onEvent` is called with each thing added. */
export function createJournal(onEvent: (received: Received) => void = () => {}): Journal {
  const received: Received[] = []
  const keys = new Map<string, { deliveries: number; taken: boolean }>()
  const waiting = new Set<Waiting>()
  return {
    received,
    count(key) {
      const known = keys.get(key) ?? { deliveries: 0, taken: false }
      known.deliveries += 1
      keys.set(key, known)
      forgetOldest(keys)
      return { delivery: known.deliveries, duplicate: known.taken }
    },
    take(key) {
      const known = keys.get(key)
      if (known !== undefined) known.taken = true
    },
    add(entry) {
      received.push(entry)
      if (received.length > receivedLimit) received.shift()
      onEvent(entry)
      for (const one of waiting) if (one.fits(entry)) one.found(entry)
    },
    waitFor(predicate, timeoutMs) {
      const found = received.find(predicate)
      return found === undefined ? waitForNext(waiting, predicate, timeoutMs) : Promise.resolve(found)
    },
    close() {
      for (const one of waiting) one.gaveUp()
    },
  }
}

function forgetOldest(keys: Map<string, unknown>): void {
  const [oldest] = keys.keys()
  if (keys.size > keysLimit && oldest !== undefined) keys.delete(oldest)
}

async function waitForNext(
  waiting: Set<Waiting>,
  fits: (received: Received) => boolean,
  timeoutMs: number,
): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const one: Waiting = {
    fits,
    found: resolve,
    gaveUp: () => reject(new Error('the receiver was closed before the delivery came')),
  }
  const timer = setTimeout(() => reject(new Error(`no such delivery came within ${timeoutMs} ms`)), timeoutMs)
  waiting.add(one)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    waiting.delete(one)
  }
}
