import { readObject } from '../body.ts'
import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { type Detail, type ErrorExtras, errorOf, invalid, refuse } from '../errors.ts'
import { replyUnstored } from '../reply.ts'
import { idempotencyKey, type OrderRequest, orderCode, orderRequest, ordersQuery, quoteRequest } from '../schemas.ts'
import { type Checked, check, readJson, readParameter, readQuery } from '../validate.ts'
import type { RouteOptions } from './options.ts'
import { type PlaceOrder, placeInBatches } from './order_batches.ts'
import { refusalOf, sqlRequest } from './order_requests.ts'

/** Orders: quotes, placing one, reading one and its timeline, listing them (specification 2.2, 2.3 and 4). */
export function addOrderRoutes(routes: Routes, options: RouteOptions): void {
  const { db, reads, metrics } = options
  const placeInBatch = placeInBatches(db, metrics)
  const place: PlaceOrder = (request) =>
    placeInBatch(request).finally(() => reads.noteWrite(String(request.account_id)))
  routes.post('/b2b/orders/quote', (ctx) => quoteOrder(ctx, options))
  routes.post('/b2b/orders', (ctx) => placeOrder(ctx, place, options))
  routes.get('/b2b/orders/:code', (ctx) => getOrder(ctx, options))
  routes.get('/b2b/orders/:code/timeline', (ctx) => getTimeline(ctx, options))
  routes.get('/b2b/orders', (ctx) => listOrders(ctx, options))
}

async function placeOrder(
  ctx: RouteContext,
  place: PlaceOrder,
  { sealing, allowNetworks, metrics }: RouteOptions,
): Promise<void> {
  const asked = await readOrder(ctx)
  const request = sqlRequest(ctx, asked.order, asked.idempotencyKey, allowNetworks)
  const placed = await ctx.state.databaseTime(() => place(request))
  if (placed.result === 'created') {
    metrics.placedOrder(accountOf(ctx), Number(placed.total_amount))
  } else if (placed.result !== 'replayed') {
    metrics.refusedOrder(accountOf(ctx), placed.result)
  }
  answerPlaced(ctx, { ...placed, body: sealing.openCodes(placed.body) })
}

/** Reads the order that a request asks for, and its key. Throws a 400 that names every fault of both. */
export async function readOrder(ctx: RouteContext): Promise<{ order: OrderRequest; idempotencyKey: string }> {
  const order = check(orderRequest, await readObject(ctx))
  const key = givenKey(ctx)
  if (!order.ok || !key.ok) throw invalid([...faultsOf(key), ...faultsOf(order)])
  return { order: order.value, idempotencyKey: key.value ?? order.value.externalOrderId }
}

/** The idempotency key of the headers; null if they have none. */
function givenKey(ctx: RouteContext): Checked<string | null> {
  const { 'x-idempotency-key': own = [], 'idempotency-key': common = [] } = ctx.req.headersDistinct
  const [key, ...others] = new Set([...own, ...common])
  if (key === undefined) return { ok: true, value: null }
  const path = own.length > 0 ? 'X-Idempotency-Key' : 'Idempotency-Key'
  if (others.length > 0) return { ok: false, details: [{ path, message: 'is given twice with different values' }] }
  const checked = check(idempotencyKey, key)
  return checked.ok ? checked : { ok: false, details: checked.details.map((detail) => ({ ...detail, path })) }
}

function faultsOf(checked: Checked<unknown>): Detail[] {
  return checked.ok ? [] : checked.details
}

/** Answers with the order, or with why it was refused. */
export function answerPlaced(ctx: RouteContext, { result, body }: { result: string; body: string }): void {
  if (result === 'created' || result === 'replayed') {
    if (result === 'replayed') ctx.set('Idempotent-Replayed', 'true')
    replyUnstored(ctx, body, result === 'created' ? 201 : 200)
    return
  }
  refuse(ctx, refusalOf(result), JSON.parse(body) as ErrorExtras)
}

async function getOrder(ctx: RouteContext, { db, sealing }: RouteOptions): Promise<void> {
  const code = readParameter(ctx, 'code', orderCode, 'ORDER_NOT_FOUND')
  const order = await ctx.state.databaseTime(() => db.call('api.get_order', { account_id: accountOf(ctx).id, code }))
  if (order !== null) return replyUnstored(ctx, sealing.openCodes(order))
  const message = `simulated orders are read at /simulation/orders/${code}`
  refuse(ctx, 'ORDER_NOT_FOUND', code.startsWith('sim_') ? { details: [{ path: 'code', message }] } : undefined)
}

async function listOrders(ctx: RouteContext, { db, reads, turns }: RouteOptions): Promise<void> {
  const { limit, cursor, page, asOf, status, externalOrderId, createdFrom, createdTo } = readQuery(ctx, ordersQuery)
  if (cursor !== undefined && page !== undefined)
    throw invalid([{ path: 'page', message: 'must not come with a cursor' }])
  if (asOf !== undefined && page === undefined) throw invalid([{ path: 'asOf', message: 'must come with a page' }])
  // A partner that searches for its reference asks whether an order was placed: a standby may not know it yet.
  const source = externalOrderId === undefined ? reads : db
  const { id } = accountOf(ctx)
  const read = () =>
    source.call('api.list_orders', {
      account_id: id,
      page_limit: limit,
      after_code: cursor,
      page,
      status,
      external_order_id: externalOrderId,
      created_from: createdFrom,
      created_to: createdTo,
      as_of: asOf,
    })
  const orders = await turns(id, () => ctx.state.databaseTime(read))
  if (orders !== null) return replyUnstored(ctx, orders)
  if (asOf === undefined) throw invalid([{ path: 'cursor', message: 'must be a nextCursor' }])
  throw invalid([{ path: 'asOf', message: 'must be an asOf' }])
}

async function getTimeline(ctx: RouteContext, { db }: RouteOptions): Promise<void> {
  const code = readParameter(ctx, 'code', orderCode, 'ORDER_NOT_FOUND')
  const timeline = await ctx.state.databaseTime(() =>
    db.call('api.order_timeline', { account_id: accountOf(ctx).id, code }),
  )
  if (timeline === null) return refuse(ctx, 'ORDER_NOT_FOUND')
  replyUnstored(ctx, timeline)
}

async function quoteOrder(ctx: RouteContext, { db, allowNetworks }: RouteOptions): Promise<void> {
  const request = sqlRequest(ctx, await readJson(ctx, quoteRequest), null, allowNetworks)
  const [quoted] = await ctx.state.databaseTime(() => db.call('api.quote_order', { request }))
  if (quoted === undefined) throw new Error('api.quote_order gave no answer')
  if (quoted.result === 'UNAUTHORIZED') return refuse(ctx, 'UNAUTHORIZED')
  const wouldBeRefused = JSON.stringify(refusalFor(quoted.result, quoted.refusal))
  // The quote is the text that SQL rendered, an object with fields.
  replyUnstored(ctx, `${quoted.quote.slice(0, -1)},"wouldBeRefused":${wouldBeRefused}}`)
}

/** The refusal that the order would get; null if it would be accepted. */
function refusalFor(result: string, extras: string): object | null {
  if (result === 'created') return null
  const { status, body } = errorOf(refusalOf(result), JSON.parse(extras) as ErrorExtras)
  const { success: _, ...refusal } = body as { success?: false }
  return { status, ...refusal }
}
