import * as v from 'valibot'
import type { Database } from '../../database/client.ts'
import type { Network } from '../../network/networks.ts'
import { readJson } from '../body.ts'
import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { refuse, refuseInvalid } from '../errors.ts'
import { reply, replyUnstored } from '../reply.ts'
import { eventId, simulationRequest } from '../schemas.ts'
import { check } from '../validate.ts'
import { isGoodCallback } from './order_requests.ts'

export type SimulationRouteOptions = { db: Database; allowNetworks: readonly Network[] }

/**
 * Sample events for partners' own tests, for accounts in mode `test` alone: sent at once over the path of real ones,
 * retries and dead letters included, to any URL that an order could name.
 */
export function addSimulationRoutes(routes: Routes, { db, allowNetworks }: SimulationRouteOptions): void {
  routes.post('/simulation/webhooks', (ctx) => simulateWebhook(ctx, db, allowNetworks))
  routes.get('/simulation/webhooks/:eventId', (ctx) => getSimulation(ctx, db))
}

async function simulateWebhook(ctx: RouteContext, db: Database, allowNetworks: readonly Network[]): Promise<void> {
  const account = accountOf(ctx)
  if (account.mode !== 'test') return refuse(ctx, 'LIVE_ACCOUNT')
  const body = await readJson(ctx)
  if (body === undefined) return
  const sample = check(simulationRequest, body.value)
  if (!sample.ok) return refuseInvalid(ctx, sample.details)
  const { callbackUrl, eventType, orderCode } = sample.value
  if (!isGoodCallback(ctx, callbackUrl, allowNetworks)) return
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
  if (refusal !== null) return refuseSample(ctx, refusal, retryAfter)
  reply(ctx, JSON.stringify({ eventId: event_id }), 202)
}

async function getSimulation(ctx: RouteContext, db: Database): Promise<void> {
  const account = accountOf(ctx)
  if (account.mode !== 'test') return refuse(ctx, 'LIVE_ACCOUNT')
  const event_id = ctx.params.eventId ?? ''
  if (!v.is(eventId, event_id)) return refuse(ctx, 'EVENT_NOT_FOUND')
  const event = await ctx.state.databaseTime(() => db.call('api.get_simulation', { account_id: account.id, event_id }))
  if (event === null) return refuse(ctx, 'EVENT_NOT_FOUND')
  replyUnstored(ctx, event)
}

function refuseSample(ctx: RouteContext, refusal: string, retryAfter: number | null): void {
  if (refusal === 'too_large') {
    const message = 'the event about this order is larger than 64 KiB, and no sample is'
    refuseInvalid(ctx, [{ path: 'orderCode', message }])
    return
  }
  if (retryAfter === null) throw new Error(`unexpected refusal of a sample: ${refusal}`)
  const name = refusal === 'too_many_open' ? 'TOO_MANY_SAMPLES' : 'TOO_MANY_SAMPLES_A_MINUTE'
  refuse(ctx, name, { retryAfter })
}
