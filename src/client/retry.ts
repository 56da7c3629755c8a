import { setTimeout as sleep } from 'node:timers/promises'

/** What an attempt came to: the end of it, or that it may be tried again, not before `retryAfterMs`. */
export type Attempt<T> = { done: T } | { again: Error; retryAfterMs: number }

/** What an operation came to: its end, or the last error when the time was up. */
export type Tried<T> = { done: T } | { gaveUp: Error }

export type Pace = {
  /** No attempt begins later than this after the first, in milliseconds. 0: there is one attempt. */
  giveUpAfterMs: number
  signal?: AbortSignal | undefined
  onRetry?: ((retry: { attempt: number; delayMs: number; error: Error }) => void) | undefined
}

export type Clock = {
  now(): number
  /** From 0 to 1. */
  random(): number
  /** Rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>
}

export const systemClock: Clock = {
  now: () => performance.now(),
  random: Math.random,
  sleep: async (ms, signal) => {
    try {
      for (let left = ms; left > 0; left -= longestTimerMs) {
        await sleep(Math.min(left, longestTimerMs), undefined, signal === undefined ? {} : { signal })
      }
    } catch {
      signal?.throwIfAborted()
    }
  },
}

// A timer that is set for longer ends at once.
const longestTimerMs = 2 ** 31 - 1
const firstDelayMs = 250
const longestDelayMs = 10_000

/**
 * Tries until it is done or the time is up. The delays double from 250 ms to 10 s, and half of each is random, so that
 * clients that failed together do not come back together. A `Retry-After` is always waited for: where that would take
 * too long, it gives up at once. Rejects when the signal aborts a wait, and with what an attempt throws.
 */
export async function retry<T>(
  attempt: () => Promise<Attempt<T>>,
  pace: Pace,
  clock = systemClock,
): Promise<Tried<T>> {
  const deadline = clock.now() + pace.giveUpAfterMs
  for (let number = 1; ; number += 1) {
    const result = await attempt()
    if ('done' in result) return result
    const { again: error, retryAfterMs } = result
    const backoffMs = Math.min(firstDelayMs * 2 ** (number - 1), longestDelayMs)
    const jitterMs = (backoffMs / 2) * clock.random()
    const delayMs = Math.max(backoffMs / 2, retryAfterMs) + jitterMs
    if (clock.now() + delayMs > deadline) return { gaveUp: error }
    pace.onRetry?.({ attempt: number, delayMs, error })
    await clock.sleep(delayMs, pace.signal)
  }
}

const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/**
 * Reads a `Retry-After`, seconds or a date, in milliseconds from `now` on. 0 where it is absent or makes no sense.
 */
export function retryAfterMs(header: string | null, now: Date): number {
  if (header === null) return 0
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000
  if (!httpDate.test(header)) return 0
  return Math.max(Date.parse(header) - now.getTime(), 0) || 0
}
