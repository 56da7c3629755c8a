import type { Database } from '../../database/client.ts'
import type { Network } from '../../network/networks.ts'
import { readJson } from '../body.ts'
import type { RouteContext, Routes } from '../context.ts'
import { type ErrorExtras, errorOf, refuse, refuseInvalid } from '../errors.ts'
import { replyUnstored } from '../reply.ts'
import { quoteRequest } from '../schemas.ts'
import { check } from '../validate.ts'
import { refusalOf, sqlRequest } from './order_requests.ts'

export type QuoteRouteOptions = { db: Database; allowNetworks: readonly Network[] }

/** Quotes: what an order would cost, and whether it would be refused (specification 4). */
export function addQuoteRoutes(routes: Routes, { db, allowNetworks }: QuoteRouteOptions): void {
  routes.post('/b2b/orders/quote', (ctx) => quoteOrder(ctx, db, allowNetworks))
}

async function quoteOrder(ctx: RouteContext, db: Database, allowNetworks: readonly Network[]): Promise<void> {
  const body = await readJson(ctx)
  if (body === undefined) return
  const order = check(quoteRequest, body.value)
  if (!order.ok) return refuseInvalid(ctx, order.details)

  const request = sqlRequest(ctx, order.value, null, allowNetworks)
  const [quoted] = await ctx.state.databaseTime(() => db.call('api.quote_order', { request }))
  if (quoted === undefined) throw new Error('api.quote_order gave no answer')
  if (quoted.result === 'UNAUTHORIZED') return refuse(ctx, 'UNAUTHORIZED')
  const wouldBeRefused = JSON.stringify(refusalFor(quoted.result, quoted.refusal))
  // The quote is the text that SQL rendered, an object with fields.
  replyUnstored(ctx, `${quoted.quote.slice(0, -1)},"wouldBeRefused":${wouldBeRefused}}`)
}

/** What the order would be answered with; null if it would be accepted. */
function refusalFor(result: string, extras: string): object | null {
  if (result === 'created') return null
  const { status, body } = errorOf(refusalOf(result), JSON.parse(extras) as ErrorExtras)
  const { success: _, ...refusal } = body as { success?: false }
  return { status, ...refusal }
}
