import * as v from 'valibot'
import type { Database } from '../../database/client.ts'
import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { refuse } from '../errors.ts'
import { replyUnstored } from '../reply.ts'
import { eventId, orderCode } from '../schemas.ts'

/** What became of an order and of its event: its timeline, and a redelivery that the partner asks for. */
export function addDeliveryRoutes(routes: Routes, { db }: { db: Database }): void {
  routes.get('/b2b/orders/:code/timeline', (ctx) => getTimeline(ctx, db))
  routes.post('/b2b/events/:eventId/redeliver', (ctx) => redeliver(ctx, db))
}

async function getTimeline(ctx: RouteContext, db: Database): Promise<void> {
  const code = ctx.params.code ?? ''
  if (!v.is(orderCode, code)) return refuse(ctx, 'ORDER_NOT_FOUND')
  const timeline = await ctx.state.databaseTime(() =>
    db.call('api.order_timeline', { account_id: accountOf(ctx).id, code }),
  )
  if (timeline === null) return refuse(ctx, 'ORDER_NOT_FOUND')
  replyUnstored(ctx, timeline)
}

async function redeliver(ctx: RouteContext, db: Database): Promise<void> {
  const event_id = ctx.params.eventId ?? ''
  if (!v.is(eventId, event_id)) return refuse(ctx, 'EVENT_NOT_FOUND')
  const { id, keyId } = accountOf(ctx)
  const [answer] = await ctx.state.databaseTime(() =>
    db.call('api.redeliver_event', { account_id: id, key_id: keyId, event_id }),
  )
  if (answer === undefined) throw new Error('api.redeliver_event returned no row')
  const { result, retry_after: retryAfter, body } = answer
  if (result === 'started' && body !== null) return replyUnstored(ctx, body, 202)
  if (result === 'EVENT_NOT_FOUND' || result === 'EVENT_NOT_FINAL') return refuse(ctx, result)
  const isTooOften = result === 'REDELIVERED_RECENTLY' || result === 'TOO_MANY_REDELIVERIES'
  if (!isTooOften || retryAfter === null) {
    throw new Error(`api.redeliver_event gave an unknown result: ${result}`)
  }
  ctx.set('Retry-After', String(retryAfter))
  refuse(ctx, result, { retryAfter })
}
