import * as v from 'valibot'
import type { Database } from '../../database/client.ts'
import type { Reads } from '../../database/reads.ts'
import type { Network } from '../../network/networks.ts'
import type { Sealing } from '../../sealing/sealing.ts'
import { readJson } from '../body.ts'
import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { type Detail, type ErrorExtras, refuse, refuseInvalid } from '../errors.ts'
import type { ListTurns } from '../list_turns.ts'
import type { HttpMetrics } from '../metrics.ts'
import { replyUnstored } from '../reply.ts'
import { idempotencyKey, type OrderRequest, orderCode, orderRequest, ordersQuery } from '../schemas.ts'
import { type Checked, check, checkQuery } from '../validate.ts'
import { type PlaceOrder, placeInBatches } from './order_batches.ts'
import { refusalOf, sqlRequest } from './order_requests.ts'

export type OrderRouteOptions = {
  db: Database
  reads: Reads
  turns: ListTurns
  sealing: Sealing
  allowNetworks: readonly Network[]
  metrics: HttpMetrics
}

/** Orders: placing one, reading one, listing them (specification 2.2, 2.3 and 4). */
export function addOrderRoutes(routes: Routes, options: OrderRouteOptions): void {
  const { db, reads, turns, sealing, allowNetworks, metrics } = options
  const placeInBatch = placeInBatches(db, metrics)
  const place: PlaceOrder = (request) =>
    placeInBatch(request).finally(() => reads.noteWrite(String(request.account_id)))
  routes.post('/b2b/orders', (ctx) => placeOrder(ctx, place, sealing, allowNetworks, metrics))
  routes.get('/b2b/orders/:code', (ctx) => getOrder(ctx, db, sealing))
  routes.get('/b2b/orders', (ctx) => listOrders(ctx, db, reads, turns))
}

async function placeOrder(
  ctx: RouteContext,
  place: PlaceOrder,
  sealing: Sealing,
  allowNetworks: readonly Network[],
  metrics: Pick<HttpMetrics, 'placedOrder' | 'refusedOrder'>,
): Promise<void> {
  const asked = await readOrder(ctx)
  if (asked === undefined) return
  const request = sqlRequest(ctx, asked.order, asked.idempotencyKey, allowNetworks)
  const placed = await ctx.state.databaseTime(() => place(request))
  if (placed.result === 'created') {
    metrics.placedOrder(accountOf(ctx), Number(placed.total_amount))
  } else if (placed.result !== 'replayed') {
    metrics.refusedOrder(accountOf(ctx), placed.result)
  }
  answerPlaced(ctx, { ...placed, body: sealing.openCodes(placed.body) })
}

/** Reads the order that a request asks for, and its key. Answers a malformed request, and returns undefined. */
export async function readOrder(
  ctx: RouteContext,
): Promise<{ order: OrderRequest; idempotencyKey: string } | undefined> {
  const body = await readJson(ctx)
  if (body === undefined) return undefined
  const order = check(orderRequest, body.value)
  const key = givenKey(ctx)
  if (!order.ok || !key.ok) {
    refuseInvalid(ctx, [...faultsOf(key), ...faultsOf(order)])
    return undefined
  }
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

async function getOrder(ctx: RouteContext, db: Database, sealing: Sealing): Promise<void> {
  const code = ctx.params.code ?? ''
  if (!v.is(orderCode, code)) return refuse(ctx, 'ORDER_NOT_FOUND')
  const order = await ctx.state.databaseTime(() => db.call('api.get_order', { account_id: accountOf(ctx).id, code }))
  if (order !== null) return replyUnstored(ctx, sealing.openCodes(order))
  const message = `simulated orders are read at /simulation/orders/${code}`
  refuse(ctx, 'ORDER_NOT_FOUND', code.startsWith('sim_') ? { details: [{ path: 'code', message }] } : undefined)
}

async function listOrders(ctx: RouteContext, db: Database, reads: Reads, turns: ListTurns): Promise<void> {
  const query = checkQuery(ctx, ordersQuery)
  if (!query.ok) return refuseInvalid(ctx, query.details)
  const { limit, cursor, page, asOf, status, externalOrderId, createdFrom, createdTo } = query.value
  if (cursor !== undefined && page !== undefined) {
    return refuseInvalid(ctx, [{ path: 'page', message: 'must not come with a cursor' }])
  }
  if (asOf !== undefined && page === undefined) {
    return refuseInvalid(ctx, [{ path: 'asOf', message: 'must come with a page' }])
  }
  // Who looks for a reference asks whether an order was placed: that has to be known.
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
  if (orders === null) {
    const unknown =
      asOf === undefined
        ? { path: 'cursor', message: 'must be a nextCursor' }
        : { path: 'asOf', message: 'must be an asOf' }
    return refuseInvalid(ctx, [unknown])
  }
  replyUnstored(ctx, orders)
}
