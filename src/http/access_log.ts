import { randomUUID } from 'node:crypto'
import { isUnavailable, safeError } from '../db.ts'
import { type Log, withRequestId } from '../log.ts'
import { ClientGone } from './body.ts'
import type { Context, Next, Route, Routes } from './context.ts'
import { refuse, refuseAsUnavailable } from './errors.ts'
import type { HttpMetrics } from './metrics.ts'

const validId = /^[A-Za-z0-9._-]{1,128}$/

/** In the log only: the client went away before it had its answer. */
const clientGoneStatus = 499

/** An id for a request, or for what never became one. */
export function newRequestId(): string {
  return randomUUID()
}

/** Gives every response the request's id, which is the client's if that is a valid one, and every log record of it too. */
export async function identify(ctx: Context, next: Next): Promise<void> {
  const given = ctx.get('X-Request-Id')
  ctx.state.requestId = validId.test(given) ? given : newRequestId()
  ctx.set({
    'X-Request-Id': ctx.state.requestId,
    'X-Api-Version': '1',
    'X-Content-Type-Options': 'nosniff',
  })
  await withRequestId(ctx.state.requestId, next)
}

/** Writes one line for each request, without anything that a client sent but the method, and counts it. */
export function accessLog(log: Log, metrics: HttpMetrics) {
  return async (ctx: Context, next: Next): Promise<void> => {
    const began = performance.now()
    await next()
    const ms = performance.now() - began
    const status = ctx.writable ? ctx.status : clientGoneStatus
    const { method, state } = ctx
    const line = {
      method,
      route: state.route.pattern,
      status,
      ms: Math.round(ms),
      account: state.account?.id,
    }
    if (status >= 500) log.error(line, 'request')
    else log.info(line, 'request')
    metrics.request({ method, route: state.route.pattern, status }, ms / 1000)
  }
}

/** Finds the route of each request, before anything is decided about it. */
export function findRoute(routes: Routes) {
  return async (ctx: Context, next: Next): Promise<void> => {
    ctx.state.route = routeOf(routes, ctx)
    await next()
  }
}

/** Turns what is thrown further in into an answer: 503 if the database cannot answer, else 500, which is a bug. */
export function answerErrors(log: Log) {
  const warnUnavailable = atMostEachSecond((error: unknown) =>
    log.warn({ error: safeError(error) }, 'the database cannot answer'),
  )
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next()
    } catch (error) {
      if (error instanceof ClientGone) return
      if (isUnavailable(error)) {
        warnUnavailable(error)
        return refuseAsUnavailable(ctx)
      }
      log.error({ error: safeError(error) }, 'a request failed')
      refuse(ctx, 'INTERNAL')
    }
  }
}

function routeOf(routes: Routes, { path, method }: Context): Route {
  const { path: layers, pathAndMethod } = routes.match(path, method)
  const pattern = pathAndMethod[0]?.path
  const allow = new Set(layers.flatMap((layer) => layer.methods))
  return { pattern: pattern === undefined ? undefined : String(pattern), allow: [...allow].sort() }
}

function atMostEachSecond<Arg>(work: (arg: Arg) => void): (arg: Arg) => void {
  let last = Number.NEGATIVE_INFINITY
  return (arg) => {
    if (performance.now() - last < 1000) return
    last = performance.now()
    work(arg)
  }
}
