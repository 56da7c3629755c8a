import * as v from 'valibot'
import type { Database } from '../../database/client.ts'
import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { refuse } from '../errors.ts'
import { replyUnstored } from '../reply.ts'
import { orderCode } from '../schemas.ts'

/** What happened to an order, step by step. */
export function addTimelineRoute(routes: Routes, { db }: { db: Database }): void {
  routes.get('/b2b/orders/:code/timeline', (ctx) => getTimeline(ctx, db))
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
