import { setTimeout as sleep } from 'node:timers/promises'
import type { SupplyError } from './errors.ts'

/** The result of one request. `isUndone`: the service certainly did nothing. `again`: a repeat may succeed. */
export type Outcome =
  | { data: unknown }
  | { error: SupplyError; isUndone: boolean; again: boolean; retryAfterMs: number }

export type Pace = {
  /** No request begins later than this after the first, in milliseconds. 0: one request only. */
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
  sleep: (ms, signal) =>
    sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => signal?.throwIfAborted()),
}

// A longer timer ends at once.
const maxTimerMs = 2 ** 31 - 1
const firstDelayMs = 250
const maxDelayMs = 10_000

/**
 * Repeats a request until it succeeds, cannot succeed, or the time is up, and returns the last outcome. The delays
 * double from 250 ms to 10 s, half of each random, and are never shorter than `Retry-After`.
 */
export async function retry(
  attempt: () => Promise<Outcome>,
  { giveUpAfterMs, signal, onRetry }: Pace,
  clock = systemClock,
): Promise<Outcome> {
  const deadline = clock.now() + Math.min(giveUpAfterMs, maxTimerMs)
  for (let number = 1; ; number += 1) {
    signal?.throwIfAborted()
    const outcome = await attempt()
    if ('data' in outcome || !outcome.again) return outcome
    const backoffMs = Math.min(firstDelayMs * 2 ** (number - 1), maxDelayMs)
    const jitterMs = (backoffMs / 2) * clock.random()
    const delayMs = Math.max(backoffMs / 2, outcome.retryAfterMs) + jitterMs
    if (clock.now() + delayMs > deadline) return outcome
    onRetry?.({ attempt: number, delayMs, error: outcome.error })
    await clock.sleep(delayMs, signal)
  }
}

const httpDate = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/** Parses a `Retry-After`, seconds or a date, to milliseconds from `now`. 0 if it is absent or malformed. */
export function retryAfterMs(header: string | null, now: Date): number {
  if (header === null) return 0
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000
  if (!httpDate.test(header)) return 0
  return Math.max(Date.parse(header) - now.getTime(), 0) || 0
}
