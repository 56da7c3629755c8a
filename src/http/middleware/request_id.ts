import { randomUUID } from 'node:crypto'
import { withCorrelation } from '../../log.ts'
import { isRequestId, parseTraceparent } from '../../messages/correlation.ts'
import type { Span, Tracer } from '../../tracing/tracer.ts'
import type { Context, Middleware } from '../context.ts'

// An api key in the wrong header, whole or without its prefix. Longer runs of hexadecimal digits are hashes.
const likeApiKey = /svc_(live|test)_|(?<![0-9a-f])[0-9a-f]{48}(?![0-9a-f])/i

/**
 * An id for a request, or for what never became one: a UUID of version 7 (RFC 9562). It begins with the time, so that
 * the index of the orders' request ids grows at its end.
 */
export function newRequestId(): string {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/**
 * Sets the request's id on the response and on every log record of the request. It is the id that the client sent, if
 * that is valid and does not look like an api key. A trace context that came with the request is kept if it is valid;
 * where traces are on, the request is a span of its trace, or begins one.
 */
export function identify(tracer: Tracer): Middleware {
  return async (ctx, next) => {
    const given = ctx.get('X-Request-Id')
    const isGiven = isRequestId(given) && !likeApiKey.test(given)
    ctx.state.requestId = isGiven ? given : newRequestId()
    ctx.state.requestIdGiven = isGiven
    const span = tracer.start({ name: ctx.method, kind: 'server', parent: parseTraceparent(ctx.get('traceparent')) })
    ctx.state.traceparent = span.traceparent
    ctx.state.route = { pattern: undefined, access: {}, uncounted: undefined, parameters: [], allow: [] }
    ctx.set({ 'X-Request-Id': ctx.state.requestId, 'X-Api-Version': '1', 'X-Content-Type-Options': 'nosniff' })
    await withCorrelation(ctx.state, next)
    endSpan(ctx, span)
  }
}

function endSpan(ctx: Context, span: Span): void {
  const { method, state, status, writable } = ctx
  const { pattern: route, uncounted } = state.route
  if (status === 200 && uncounted === 'health check') return
  span.end({
    name: route === undefined ? method : `${method} ${route}`,
    failed: status >= 500,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      // A client that went away got no status.
      'http.response.status_code': writable ? status : undefined,
      'supply.request_id': state.requestId,
      'supply.account': state.account?.id,
    },
  })
}
