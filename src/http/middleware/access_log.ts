import type { Log } from '../../log.ts'
import type { Middleware } from '../context.ts'
import type { HttpMetrics } from '../metrics.ts'

/** In the log only: the client went away before it had its answer. */
const clientGoneStatus = 499

/**
 * Writes one log record for each request, which holds nothing that a client sent but the method, and counts the
 * request. Health checks that succeed are logged at level debug.
 */
export function accessLog(log: Log, metrics: HttpMetrics): Middleware {
  return async (ctx, next) => {
    const began = performance.now()
    await next()
    const ms = performance.now() - began
    const status = ctx.writable ? ctx.status : clientGoneStatus
    const { method, state } = ctx
    const { pattern: route, uncounted } = state.route
    const record = { method, route, status, ms: Math.round(ms), account: state.account?.id }
    if (status >= 500) log.error(record, 'request')
    else if (status === 200 && uncounted === 'health check') log.debug(record, 'request')
    else log.info(record, 'request')
    metrics.request({ method, route, status }, ms / 1000)
  }
}
