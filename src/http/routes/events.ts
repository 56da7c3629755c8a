import * as v from 'valibot'
import type { Database } from '../../database/client.ts'
import type { Network } from '../../network/networks.ts'
import { readJson } from '../body.ts'
import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { type ErrorName, refuse, refuseInvalid } from '../errors.ts'
import type { ListTurns } from '../list_turns.ts'
import { replyUnstored } from '../reply.ts'
import { eventId, eventsQuery, redeliverDeadRequest, redeliveryRequest } from '../schemas.ts'
import { check, checkQuery } from '../validate.ts'
import { isGoodCallback } from './order_requests.ts'

export type EventRouteOptions = { db: Database; turns: ListTurns; allowNetworks: readonly Network[] }

/** The events of an account: their list, one of them, and redeliveries that the partner asks for. */
export function addEventRoutes(routes: Routes, { db, turns, allowNetworks }: EventRouteOptions): void {
  routes.get('/b2b/events', (ctx) => listEvents(ctx, db, turns))
  routes.get('/b2b/events/:eventId', (ctx) => getEvent(ctx, db))
  routes.post('/b2b/events/redeliver', (ctx) => redeliverDead(ctx, db))
  routes.post('/b2b/events/:eventId/redeliver', (ctx) => redeliver(ctx, db, allowNetworks))
}

// The state of a delivery is what the partner asks for: it is never read from a standby.
async function listEvents(ctx: RouteContext, db: Database, turns: ListTurns): Promise<void> {
  const query = checkQuery(ctx, eventsQuery)
  if (!query.ok) return refuseInvalid(ctx, query.details)
  const { state, since, limit: page_limit, cursor: after_id } = query.value
  const { id: account_id } = accountOf(ctx)
  const read = () => db.call('api.list_events', { account_id, page_limit, state, since, after_id })
  const page = await turns(account_id, () => ctx.state.databaseTime(read))
  if (page === null) return refuseInvalid(ctx, [{ path: 'cursor', message: 'must be a nextCursor' }])
  replyUnstored(ctx, page)
}

async function getEvent(ctx: RouteContext, db: Database): Promise<void> {
  const event_id = ctx.params.eventId ?? ''
  if (!v.is(eventId, event_id)) return refuse(ctx, 'EVENT_NOT_FOUND')
  const event = await ctx.state.databaseTime(() =>
    db.call('api.get_event', { account_id: accountOf(ctx).id, event_id }),
  )
  if (event === null) return refuse(ctx, 'EVENT_NOT_FOUND')
  replyUnstored(ctx, event)
}

function hasBody({ req }: RouteContext): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}

async function redeliver(ctx: RouteContext, db: Database, allowNetworks: readonly Network[]): Promise<void> {
  const event_id = ctx.params.eventId ?? ''
  if (!v.is(eventId, event_id)) return refuse(ctx, 'EVENT_NOT_FOUND')
  const body = hasBody(ctx) ? await readJson(ctx) : { value: {} }
  if (body === undefined) return
  const asked = check(redeliveryRequest, body.value)
  if (!asked.ok) return refuseInvalid(ctx, asked.details)
  const { callbackUrl: callback_url } = asked.value
  if (callback_url !== null && !isGoodCallback(ctx, callback_url, allowNetworks)) return
  const { id: account_id, keyId: key_id } = accountOf(ctx)
  const [answer] = await ctx.state.databaseTime(() =>
    db.call('api.redeliver_event', { account_id, key_id, event_id, callback_url }),
  )
  if (answer === undefined) throw new Error('api.redeliver_event returned no row')
  if (answer.result === 'started' && answer.body !== null) return replyUnstored(ctx, answer.body, 202)
  refuseRedelivery(ctx, answer)
}

async function redeliverDead(ctx: RouteContext, db: Database): Promise<void> {
  const body = await readJson(ctx)
  if (body === undefined) return
  const asked = check(redeliverDeadRequest, body.value)
  if (!asked.ok) return refuseInvalid(ctx, asked.details)
  const { since, dryRun: dry_run } = asked.value
  const { id: account_id, keyId: key_id } = accountOf(ctx)
  const [answer] = await ctx.state.databaseTime(() =>
    db.call('api.redeliver_dead', { account_id, key_id, since, dry_run }),
  )
  if (answer === undefined) throw new Error('api.redeliver_dead returned no row')
  if (answer.count !== null) return replyUnstored(ctx, JSON.stringify({ count: answer.count }), 202)
  refuseRedelivery(ctx, answer)
}

const refusals: ErrorName[] = ['EVENT_NOT_FOUND', 'EVENT_NOT_FINAL', 'REDELIVERED_RECENTLY', 'TOO_MANY_REDELIVERIES']

function refuseRedelivery(
  ctx: RouteContext,
  { result, retry_after: retryAfter }: { result: string; retry_after: number | null },
): void {
  const name = refusals.find((known) => known === result)
  if (name === undefined) throw new Error(`a redelivery had an unknown result: ${result}`)
  refuse(ctx, name, { retryAfter: retryAfter ?? undefined })
}
