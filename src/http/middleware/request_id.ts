import { randomUUID } from 'node:crypto'
import { isRequestId, parseTraceparent } from '../../common/correlation.ts'
import { withCorrelation } from '../../log.ts'
import type { Context, Next } from '../context.ts'

// An api key in the wrong header, whole or without its prefix. Longer runs of hexadecimal digits are hashes.
const likeApiKey = /svc_(live|test)_|(?<![0-9a-f])[0-9a-f]{48}(?![0-9a-f])/i

/** An id for a request, or for what never became one. */
export function newRequestId(): string {
  return randomUUID()
}

/**
 * Sets the request's id on the response and on every log record of the request. It is the id that the client sent, if
 * that is valid and does not look like an api key. A trace context that came with the request is kept if it is valid.
 */
export async function identify(ctx: Context, next: Next): Promise<void> {
  const given = ctx.get('X-Request-Id')
  const isGiven = isRequestId(given) && !likeApiKey.test(given)
  ctx.state.requestId = isGiven ? given : newRequestId()
  ctx.state.requestIdGiven = isGiven
  ctx.state.traceparent = parseTraceparent(ctx.get('traceparent'))
  ctx.state.route = { pattern: undefined, allow: [] }
  ctx.set({
    'X-Request-Id': ctx.state.requestId,
    'X-Api-Version': '1',
    'X-Content-Type-Options': 'nosniff',
  })
  await withCorrelation(ctx.state, next)
}
