import { behaviourFor, endOf, secondsOf } from '../../simulation/scenarios.ts'
import { type Account, accountOf, type RouteContext, type Routes } from '../context.ts'
import { type ErrorName, invalid, Refusal, refuse } from '../errors.ts'
import { reply, replyUnstored } from '../reply.ts'
import { eventId, type OrderRequest, orderCode, simulationRequest } from '../schemas.ts'
import { readJson, readParameter } from '../validate.ts'
import type { RouteOptions } from './options.ts'
import { requireGoodCallback, sqlRequest } from './order_requests.ts'
import { answerPlaced, readOrder } from './orders.ts'

const refusals: { [result: string]: ErrorName } = {
  too_many_open: 'TOO_MANY_SIMULATIONS',
  too_many_a_minute: 'TOO_MANY_SIMULATIONS_A_MINUTE',
  samples_too_many_open: 'TOO_MANY_SAMPLES',
  samples_too_many_a_minute: 'TOO_MANY_SAMPLES_A_MINUTE',
}

/**
 * Partners' own tests, for accounts in mode `test` alone. A sample event is sent at once over the path of real ones,
 * retries and dead letters included, to any URL that an order could name. A simulated order is checked like a real one,
 * ends as its player ids say, and spends nothing.
 */
export function addSimulationRoutes(routes: Routes, options: RouteOptions): void {
  routes.post('/simulation/webhooks', (ctx) => simulateWebhook(ctx, options))
  routes.get('/simulation/webhooks/:eventId', (ctx) => getSimulation(ctx, options))
  routes.post('/simulation/orders', (ctx) => placeSimulatedOrder(ctx, options))
  routes.get('/simulation/orders/:code', (ctx) => getSimulatedOrder(ctx, options))
}

function testAccountOf(ctx: RouteContext): Account {
  const account = accountOf(ctx)
  if (account.mode !== 'test') throw new Refusal('LIVE_ACCOUNT')
  return account
}

async function simulateWebhook(ctx: RouteContext, { db, allowNetworks }: RouteOptions): Promise<void> {
  const account = testAccountOf(ctx)
  const { callbackUrl, eventType, orderCode } = await readJson(ctx, simulationRequest)
  requireGoodCallback(callbackUrl, allowNetworks)
  const [simulated] = await ctx.state.databaseTime(() =>
    db.call('api.simulate_webhook', {
      account_id: account.id,
      callback_url: callbackUrl,
      event_type: eventType,
      order_code: orderCode,
    }),
  )
  if (simulated === undefined) throw new Error('api.simulate_webhook returned no row')
  const { event_id, refusal, retry_after: retryAfter } = simulated
  if (refusal === null) return reply(ctx, JSON.stringify({ eventId: event_id }), 202)
  if (refusal === 'too_large') {
    const message = 'the event about this order is larger than 64 KiB, and no sample is'
    throw invalid([{ path: 'orderCode', message }])
  }
  const name = refusals[`samples_${refusal}`]
  if (name === undefined || retryAfter === null) throw new Error(`unexpected refusal of a sample: ${refusal}`)
  refuse(ctx, name, { retryAfter })
}

async function getSimulation(ctx: RouteContext, { db }: RouteOptions): Promise<void> {
  const account = testAccountOf(ctx)
  const event_id = readParameter(ctx, 'eventId', eventId, 'EVENT_NOT_FOUND')
  const event = await ctx.state.databaseTime(() => db.call('api.get_simulation', { account_id: account.id, event_id }))
  if (event === null) return refuse(ctx, 'EVENT_NOT_FOUND')
  replyUnstored(ctx, event)
}

async function placeSimulatedOrder(ctx: RouteContext, { db, allowNetworks }: RouteOptions): Promise<void> {
  testAccountOf(ctx)
  const asked = await readOrder(ctx)
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

async function getSimulatedOrder(ctx: RouteContext, { db }: RouteOptions): Promise<void> {
  const account = testAccountOf(ctx)
  const code = readParameter(ctx, 'code', orderCode, 'ORDER_NOT_FOUND')
  const order = await ctx.state.databaseTime(() => db.call('api.get_simulated_order', { account_id: account.id, code }))
  if (order === null) return refuse(ctx, 'ORDER_NOT_FOUND')
  replyUnstored(ctx, order)
}
