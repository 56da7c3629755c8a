import Router from '@koa/router'
import Koa from 'koa'
import type { Config } from '../config.ts'
import { type Reads, readsFrom } from '../database/reads.ts'
import { type Log, safeError } from '../log.ts'
import { noSealing, type Sealing } from '../sealing/sealing.ts'
import { noTracer, type Tracer } from '../tracing/tracer.ts'
import { type Access, accesses } from './access.ts'
import { createAccountTurns } from './account_turns.ts'
import type { Context, FoundRoute, Middleware, Next, RequestState, Routes } from './context.ts'
import { createDatabaseTime } from './database_time.ts'
import { refuse } from './errors.ts'
import { accessLog } from './middleware/access_log.ts'
import { type Admission, createAdmission } from './middleware/admission.ts'
import { receiveBodies } from './middleware/bodies.ts'
import { clientAddress, createEntryLog } from './middleware/client_address.ts'
import { answerErrors } from './middleware/error_envelope.ts'
import { guardGuide } from './middleware/guide_password.ts'
import { createKeyUses } from './middleware/key_uses.ts'
import { rejectUnknownParameters } from './middleware/query_parameters.ts'
import { identify } from './middleware/request_id.ts'
import type { Recent } from './recent.ts'
import type { Lifecycle, RouteOptions } from './routes/options.ts'
import type { Route } from './routes/route.ts'
import { apiRoutes } from './routes/routes.ts'

/** The pages for people, which the command that starts the API mounts. */
export type Site = {
  routes: Route[]
  /** Answers the refused request of a browser with a page. */
  answerBrowsers: Middleware
}

/** The options of the routes, less those that are made here, and what the app itself needs. */
export type AppOptions = Omit<
  RouteOptions,
  'reads' | 'sealing' | 'turns' | 'changeTurns' | 'allowNetworks' | 'admission'
> & {
  /** Without it, all is read from `db`. */
  reads?: Reads | undefined
  /** Without it, nothing is sealed. */
  sealing?: Sealing | undefined
  config: Pick<
    Config,
    'allowedOrigins' | 'rateLimitPerMinute' | 'trustProxyHops' | 'callbackAllowNetworks' | 'docsPassword'
  >
  site: Site
  log: Log
  /** Traces requests. Optional. */
  tracer?: Tracer | undefined
  /** The clients that used up their budget, with their limits. */
  usedUp: Recent<number>
  /** How long a body may take to arrive, in milliseconds. */
  bodyMs: number
}

/**
 * The HTTP API. A request passes, in this order: its id, the access log, the error envelope, origin check, rate limit
 * and authentication, then its route (404, 405), its body (413, 415, 400) and the work.
 */
export function createApp(options: AppOptions): Koa<RequestState, object> {
  const { db, config, site, log, metrics, lifecycle, bodyMs, tracer = noTracer } = options
  const admission = createAdmission({ db, config, metrics, usedUp: options.usedUp, onKeyUsed: createKeyUses(db, log) })
  const declared = [...apiRoutes, ...site.routes]
  const routes = createRoutes(declared, options, admission)

  // Koa must not read proxy headers itself: `trustProxyHops` says which of their entries can be believed.
  const app = new Koa<RequestState, object>({ proxy: false })
  app.on('error', (error: unknown) => log.debug({ error: safeError(error) }, 'a response could not be sent'))
  const middleware: Middleware[] = [
    closeWhileDraining(lifecycle),
    identify(tracer),
    accessLog(log, metrics),
    answerErrors(log),
    rejectMalformed,
    findRoute(routes, declared),
    forbidCaching,
    site.answerBrowsers,
    resolveClient(config.trustProxyHops, log),
    receiveBodies(bodyMs),
    admission.admit,
    guardGuide(config.docsPassword),
    requireRoute,
    rejectUnknownParameters,
    routes.routes() as Middleware,
  ]
  for (const step of middleware) app.use(step)
  return app
}

function createRoutes(declared: readonly Route[], options: AppOptions, admission: Admission): Routes {
  const { db, reads = readsFrom(db), sealing = noSealing, config } = options
  const routes: Routes = new Router<RequestState, object>({ sensitive: true })
  const given: RouteOptions = {
    ...options,
    ...{ reads, sealing, admission, allowNetworks: config.callbackAllowNetworks },
    ...{ turns: createAccountTurns(), changeTurns: createAccountTurns(200) },
  }
  for (const { method, path, handlerFor } of declared) routes[method](path, handlerFor(given))
  return routes
}

/** Keeps documents and their refusals out of caches, and their URLs out of the Referer header. */
async function forbidCaching(ctx: Context, next: Next): Promise<void> {
  if (ctx.state.route.access.uncached) ctx.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' })
  await next()
}

// Requests that Node's parser accepts but that are not valid HTTP.
async function rejectMalformed(ctx: Context, next: Next): Promise<void> {
  const { headersDistinct, httpVersion } = ctx.req
  const hosts = headersDistinct.host?.length ?? 0
  const isHostSound = hosts === 1 || (hosts === 0 && httpVersion !== '1.1')
  if (!isHostSound || pathOf(ctx) === undefined) return refuse(ctx, 'MALFORMED_HTTP')
  await next()
}

function pathOf(ctx: Context): string | undefined {
  try {
    // Koa's type knows nothing of targets without a path.
    return (ctx.path as string | null) ?? undefined
  } catch {
    return undefined
  }
}

/** Which route a request asks for is known before anything is decided about it. */
function findRoute(routes: Routes, declared: readonly Route[]): Middleware {
  const byLayer = new Map(routes.stack.map((layer, index) => [layer, declared[index]]))
  const byBeginning = new Map<string | undefined, Access>()
  for (const { path, access } of declared.toReversed()) byBeginning.set(beginningOf(path), accesses[access])

  return async (ctx, next) => {
    const { path, pathAndMethod } = routes.match(ctx.path, ctx.method)
    const route = pathAndMethod[0] && byLayer.get(pathAndMethod[0])
    const access: Access = route ? accesses[route.access] : (byBeginning.get(beginningOf(ctx.path)) ?? {})
    const found: FoundRoute = {
      pattern: route?.path,
      access,
      uncounted: route && access.uncounted,
      parameters: Object.keys(route?.query?.entries ?? {}),
      allow: [...new Set(path.flatMap(({ methods }) => methods))].sort(),
    }
    ctx.state.route = found
    await next()
  }
}

/** The first part of a path: `b2b`. */
function beginningOf(path: string): string | undefined {
  return path.split('/', 2)[1]
}

/** A process that is about to end serves on until balancers have turned away, and says so to each client. */
function closeWhileDraining(lifecycle: Lifecycle): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } finally {
      if (lifecycle.draining) ctx.set('Connection', 'close')
    }
  }
}

function resolveClient(trustProxyHops: number, log: Log): Middleware {
  const onNoAddress = createEntryLog(log)
  return async (ctx, next) => {
    const client = clientAddress(ctx.req, trustProxyHops, onNoAddress)
    if (client === undefined) return
    ctx.state.client = client
    ctx.state.databaseTime = createDatabaseTime()
    await next()
  }
}

async function requireRoute(ctx: Context, next: Next): Promise<void> {
  const { pattern, allow } = ctx.state.route
  if (pattern !== undefined) return next()
  if (allow.length === 0) return refuse(ctx, 'NOT_FOUND')
  ctx.set('Allow', allow.join(', '))
  refuse(ctx, 'METHOD_NOT_ALLOWED')
}
