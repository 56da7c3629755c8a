import * as v from 'valibot'
import type { Database } from '../../database/client.ts'
import { behaviourFor, endOf, secondsOf } from '../../demo/supplier/orders.ts'
import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { type ErrorName, refuse } from '../errors.ts'
import { replyUnstored } from '../reply.ts'
import { type OrderRequest, orderCode } from '../schemas.ts'
import { sqlRequest } from './order_requests.ts'
import { answerPlaced, readOrder } from './orders.ts'
import type { SimulationRouteOptions } from './simulation.ts'

const refusals: { [result: string]: ErrorName } = {
  too_many_open: 'TOO_MANY_SIMULATIONS',
  too_many_a_minute: 'TOO_MANY_SIMULATIONS_A_MINUTE',
  samples_too_many_open: 'TOO_MANY_SAMPLES',
  samples_too_many_a_minute: 'TOO_MANY_SAMPLES_A_MINUTE',
}

/**
 * Test drives for accounts in mode `test`: orders that are checked like real ones and go the way that their player ids
 * choose, and spend nothing.
 */
export function addSimulatedOrderRoutes(routes: Routes, options: SimulationRouteOptions): void {
  routes.post('/simulation/orders', (ctx) => placeSimulatedOrder(ctx, options))
  routes.get('/simulation/orders/:code', (ctx) => getSimulatedOrder(ctx, options.db))
}

async function placeSimulatedOrder(ctx: RouteContext, { db, allowNetworks }: SimulationRouteOptions): Promise<void> {
  if (accountOf(ctx).mode !== 'test') return refuse(ctx, 'LIVE_ACCOUNT')
  const asked = await readOrder(ctx)
  if (asked === undefined) return
  const request = sqlRequest(ctx, asked.order, asked.idempotencyKey, allowNetworks)
  const courses = asked.order.items.map(courseOf)
  const [placed] = await ctx.state.databaseTime(() => db.call('api.place_simulated_order', { request, courses }))
  if (placed === undefined) throw new Error('api.place_simulated_order returned no row')
  const { result, retry_after: retryAfter, body } = placed
  const refusal = refusals[result]
  if (refusal === undefined || retryAfter === null) return answerPlaced(ctx, { result, body })
  refuse(ctx, refusal, { retryAfter })
}

/** When an item ends and how, for either kind of product: the database knows which kind it is. */
function courseOf(item: OrderRequest['items'][number]) {
  const behaviour = behaviourFor(item)
  const keys = endOf(behaviour, item.quantity, true)
  const topUp = endOf(behaviour, item.quantity, false)
  return { seconds: secondsOf(item), keys, topUp }
}

async function getSimulatedOrder(ctx: RouteContext, db: Database): Promise<void> {
  const account = accountOf(ctx)
  if (account.mode !== 'test') return refuse(ctx, 'LIVE_ACCOUNT')
  const code = ctx.params.code ?? ''
  if (!v.is(orderCode, code)) return refuse(ctx, 'ORDER_NOT_FOUND')
  const order = await ctx.state.databaseTime(() => db.call('api.get_simulated_order', { account_id: account.id, code }))
  if (order === null) return refuse(ctx, 'ORDER_NOT_FOUND')
  replyUnstored(ctx, order)
}
