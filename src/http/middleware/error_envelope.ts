import { isUnavailable } from '../../database/client.ts'
import { type Log, safeError } from '../../log.ts'
import { Unreadable } from '../../sealing/sealing.ts'
import type { Middleware } from '../context.ts'
import { Refusal, refuse } from '../errors.ts'

const warnEveryMs = 1_000

/**
 * Answers a request whose handling throws: with the error of a `Refusal`, 503 if the database cannot answer or sealed
 * data cannot be opened, else 500, which is a bug.
 */
export function answerErrors(log: Log): Middleware {
  let warnedAt = Number.NEGATIVE_INFINITY

  // One cause makes every request fail: one log record a second is enough.
  function warnUnavailable(error: unknown): void {
    if (performance.now() - warnedAt < warnEveryMs) return
    warnedAt = performance.now()
    log.warn({ error: safeError(error) }, 'the database cannot answer')
  }

  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      if (error instanceof Refusal) return refuse(ctx, error.error, error.extras)
      if (error instanceof Unreadable) {
        log.error({ error: safeError(error) }, 'sealed data cannot be opened')
        refuse(ctx, 'UNAVAILABLE')
      } else if (isUnavailable(error)) {
        warnUnavailable(error)
        refuse(ctx, 'UNAVAILABLE')
      } else {
        log.error({ error: safeError(error) }, 'a request failed')
        refuse(ctx, 'INTERNAL')
      }
    }
  }
}
