import type { Failure } from './failure.ts'

/** The one limit of a whole attempt: resolution, connect, TLS and response headers together. */
export type Deadline = {
  /** Milliseconds left, at least 0. */
  leftMs(): number
  /** The failure of an attempt that ran out of time at `stage`, such as `name resolution`. */
  expired(stage: string): Failure
}

/** Starts a deadline of `timeoutMs` milliseconds from now. */
export function startDeadline(timeoutMs: number): Deadline {
  const endsAt = performance.now() + timeoutMs
  return {
    leftMs: () => Math.max(endsAt - performance.now(), 0),
    expired: (stage) => ({ errorKind: 'timeout', error: `timeout after ${timeoutMs / 1000} s: ${stage}` }),
  }
}
