import type { Log } from '../../log.ts'
import type { Middleware } from '../context.ts'
import type { HttpMetrics } from '../metrics.ts'
import { isHealthCheck } from '../paths.ts'

/** In the log only: the client went away before it had its answer. */
const clientGoneStatus = 499

/**
 * Writes one line for each request, with nothing in it that a client sent but the method, and counts it. Health checks
 * that went well are for the level debug.
 */
export function accessLog(log: Log, metrics: HttpMetrics): Middleware {
  return async (ctx, next) => {
    const began = performance.now()
    await next()
    const ms = performance.now() - began
    const status = ctx.writable ? ctx.status : clientGoneStatus
    const { method, state } = ctx
    const route = state.route.pattern
    const line = {
      method,
      route,
      status,
      ms: Math.round(ms),
      account: state.account?.id,
    }
    if (status >= 500) log.error(line, 'request')
    else if (status === 200 && isHealthCheck(route)) log.debug(line, 'request')
    else log.info(line, 'request')
    metrics.request({ method, route, status }, ms / 1000)
  }
}
