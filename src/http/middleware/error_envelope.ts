import { isUnavailable } from '../../database/client.ts'
import { type Log, safeError } from '../../log.ts'
import type { Middleware } from '../context.ts'
import { refuse, refuseAsUnavailable, refuseForNow } from '../errors.ts'
import { listRetrySeconds, TooManyLists } from '../list_turns.ts'
import { ClientGone } from './bodies.ts'

const warnEveryMs = 1_000

/**
 * Answers a request whose handling throws: 429 if too many lists of the account wait, 503 if the database cannot answer,
 * else 500, which is a bug. A client that went away gets no answer.
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
      if (error instanceof ClientGone) return
      if (error instanceof TooManyLists) return refuseForNow(ctx, listRetrySeconds)
      if (isUnavailable(error)) {
        warnUnavailable(error)
        refuseAsUnavailable(ctx)
      } else {
        log.error({ error: safeError(error) }, 'a request failed')
        refuse(ctx, 'INTERNAL')
      }
    }
  }
}
