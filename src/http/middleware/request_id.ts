import { randomUUID } from 'node:crypto'
import { withRequestId } from '../../log.ts'
import type { Context, Next } from '../context.ts'

const validId = /^[A-Za-z0-9._-]{1,128}$/

// An api key in the wrong header, whole or without its prefix. Longer runs of hexadecimal digits are hashes.
const likeApiKey = /svc_(live|test)_|(?<![0-9a-f])[0-9a-f]{48}(?![0-9a-f])/i

/** An id for a request, or for what never became one. */
export function newRequestId(): string {
  return randomUUID()
}

/**
 * Sets the request's id on the response and on every log record of the request. It is the id that the client sent, if
 * that is valid and does not look like an api key.
 */
export async function identify(ctx: Context, next: Next): Promise<void> {
  const given = ctx.get('X-Request-Id')
  ctx.state.requestId = validId.test(given) && !likeApiKey.test(given) ? given : newRequestId()
  ctx.state.route = { pattern: undefined, allow: [] }
  ctx.set({
    'X-Request-Id': ctx.state.requestId,
    'X-Api-Version': '1',
    'X-Content-Type-Options': 'nosniff',
  })
  await withRequestId(ctx.state.requestId, next)
}
