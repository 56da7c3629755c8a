import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { invalid, refuse } from '../errors.ts'
import { replyUnstored } from '../reply.ts'
import { eventId, eventsQuery, redeliverDeadRequest, redeliveryRequest } from '../schemas.ts'
import { readJson, readParameter, readQuery } from '../validate.ts'
import type { RouteOptions } from './options.ts'
import { refusalOf, requireGoodCallback } from './order_requests.ts'

/** The events of an account: their list, one of them, and redeliveries that the partner asks for. */
export function addEventRoutes(routes: Routes, options: RouteOptions): void {
  routes.get('/b2b/events', (ctx) => listEvents(ctx, options))
  routes.get('/b2b/events/:eventId', (ctx) => getEvent(ctx, options))
  routes.post('/b2b/events/redeliver', (ctx) => redeliverDead(ctx, options))
  routes.post('/b2b/events/:eventId/redeliver', (ctx) => redeliver(ctx, options))
}

// The state of a delivery is what the partner asks for: it is never read from a standby.
async function listEvents(ctx: RouteContext, { db, turns }: RouteOptions): Promise<void> {
  const { state, since, limit: page_limit, cursor: after_id } = readQuery(ctx, eventsQuery)
  const { id: account_id } = accountOf(ctx)
  const read = () => db.call('api.list_events', { account_id, page_limit, state, since, after_id })
  const page = await turns(account_id, () => ctx.state.databaseTime(read))
  if (page === null) throw invalid([{ path: 'cursor', message: 'must be a nextCursor' }])
  replyUnstored(ctx, page)
}

async function getEvent(ctx: RouteContext, { db }: RouteOptions): Promise<void> {
  const event_id = readParameter(ctx, 'eventId', eventId, 'EVENT_NOT_FOUND')
  const event = await ctx.state.databaseTime(() =>
    db.call('api.get_event', { account_id: accountOf(ctx).id, event_id }),
  )
  if (event === null) return refuse(ctx, 'EVENT_NOT_FOUND')
  replyUnstored(ctx, event)
}

function hasBody({ req }: RouteContext): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}

async function redeliver(ctx: RouteContext, { db, allowNetworks }: RouteOptions): Promise<void> {
  const event_id = readParameter(ctx, 'eventId', eventId, 'EVENT_NOT_FOUND')
  const asked = hasBody(ctx) ? await readJson(ctx, redeliveryRequest) : { callbackUrl: null }
  const { callbackUrl: callback_url } = asked
  if (callback_url !== null) requireGoodCallback(callback_url, allowNetworks)
  const { id: account_id, keyId: key_id } = accountOf(ctx)
  const [answer] = await ctx.state.databaseTime(() =>
    db.call('api.redeliver_event', { account_id, key_id, event_id, callback_url }),
  )
  if (answer === undefined) throw new Error('api.redeliver_event returned no row')
  if (answer.result === 'started' && answer.body !== null) return replyUnstored(ctx, answer.body, 202)
  refuse(ctx, refusalOf(answer.result), { retryAfter: answer.retry_after ?? undefined })
}

async function redeliverDead(ctx: RouteContext, { db }: RouteOptions): Promise<void> {
  const { since, dryRun: dry_run } = await readJson(ctx, redeliverDeadRequest)
  const { id: account_id, keyId: key_id } = accountOf(ctx)
  const [answer] = await ctx.state.databaseTime(() =>
    db.call('api.redeliver_dead', { account_id, key_id, since, dry_run }),
  )
  if (answer === undefined) throw new Error('api.redeliver_dead returned no row')
  if (answer.count !== null) return replyUnstored(ctx, JSON.stringify({ count: answer.count }), 202)
  refuse(ctx, refusalOf(answer.result), { retryAfter: answer.retry_after ?? undefined })
}
