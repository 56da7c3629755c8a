import type { Socket } from 'node:net'

/** The one limit of a whole attempt: resolution, connect, TLS and response headers together. */
export type Deadline = {
  /** Milliseconds left, at least 0. */
  leftMs(): number
  /** The technical text of an attempt that ran out of time at `stage`, such as `name resolution`. */
  expired(stage: string): string
}

/** Starts a deadline of `timeoutMs` milliseconds from now. */
export function startDeadline(timeoutMs: number): Deadline {
  const endsAt = performance.now() + timeoutMs
  return {
    leftMs: () => Math.max(endsAt - performance.now(), 0),
    expired: (stage) => `timeout after ${timeoutMs / 1000} s: ${stage}`,
  }
}

/** Waits at most `ms` milliseconds for `work`; then destroys the socket, on which `work` waits, and returns `late`. */
export async function within<T>(ms: number, socket: Socket, late: T, work: Promise<T>): Promise<T> {
  const timer = Promise.withResolvers<T>()
  const handle = setTimeout(() => {
    timer.resolve(late)
    socket.destroy()
  }, ms)
  const result = await Promise.race([work, timer.promise])
  clearTimeout(handle)
  return result
}
