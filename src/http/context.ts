import type Router from '@koa/router'
import type Koa from 'koa'
import type { Access } from './access.ts'
import type { DatabaseTime } from './database_time.ts'

/** The account and the API key of a request. */
export type Account = { id: string; keyId: string; mode: string; currency: string }

/** The route that a request asks for. */
export type FoundRoute = {
  /** As `/b2b/orders/:code`; undefined where no route has this path and method. */
  pattern: string | undefined
  /** Where there is no route, that of the routes that begin alike: only a client with a key gets the 404. */
  access: Access
  /** Why its requests do not count; no route: they do. */
  uncounted: Access['uncounted']
  /** The names of its query parameters. */
  parameters: readonly string[]
  /** The methods that its path takes; empty where there is no such path. */
  allow: readonly string[]
}

/** Why a body was not taken. A client that hung up gets no answer: its body counts as too slow. */
export type BodyFault = 'BODY_TOO_LARGE' | 'REQUEST_TIMEOUT' | 'RATE_LIMITED' | 'UNAVAILABLE'

/** The state of a request, set by the middleware. */
export type RequestState = {
  requestId: string
  /** Whether the client chose it. */
  requestIdGiven: boolean
  /** The trace context that the request is handled in, as `parseTraceparent` gives it; null: none. */
  traceparent: string | null
  route: FoundRoute
  /** The client's address (specification 8). */
  client: string
  databaseTime: DatabaseTime
  /** Waits for the whole body, or for why it was not taken. Set for POST requests to a route. */
  readBody: () => Promise<Buffer | BodyFault>
  /** Known once the request is authenticated. */
  account?: Account
}

export type Context = Koa.ParameterizedContext<RequestState, object>
/** On a route: the decoded parameters of its path. One that cannot be decoded is left as it is. */
export type RouteContext = Context & { params: { [name: string]: string | undefined } }
export type Next = Koa.Next
export type Middleware = (ctx: Context, next: Next) => Promise<unknown>
export type Routes = Router<RequestState, object>

/** The account of a request on a route that needs a key. Throws where the request was not admitted: a bug. */
export function accountOf(ctx: Context): Account {
  if (ctx.state.account === undefined) throw new Error('the request was not authenticated')
  return ctx.state.account
}
