import { readObject } from '../body.ts'
import type { RouteContext } from '../context.ts'
import { type Detail, type ErrorExtras, type ErrorName, errorOf, invalid, refuse } from '../errors.ts'
import { orderTimeline } from '../models/events.ts'
import * as models from '../models/orders.ts'
import { replyUnstored } from '../reply.ts'
import { idempotencyKey, type OrderRequest, orderCode, orderRequest, ordersQuery, quoteRequest } from '../schemas.ts'
import { type Checked, check } from '../validate.ts'
import type { RouteOptions } from './options.ts'
import { placeInBatches } from './order_batches.ts'
import { refusalOf, sqlRequest } from './order_requests.ts'
import { type HeaderParam, link, param, route } from './route.ts'

const tag = 'Orders'
const access = 'key'
const exampleCode = 'ord_4c0d9f6e1b7a42f38e5d2c1b0a998877'
const ofOrder = param(orderCode, exampleCode, 'The order’s `code`.', 'ORDER_NOT_FOUND')

const keyHeader = (name: string, description: string): HeaderParam => {
  return { name, description, schema: idempotencyKey, example: 'shop-1001' }
}

/** The headers for an order's idempotency key. */
export const idempotencyHeaders = [
  keyHeader('X-Idempotency-Key', 'The idempotency key; without it, the key is `externalOrderId`.'),
  keyHeader(
    'Idempotency-Key',
    'Another name for `X-Idempotency-Key`. Send one of them; if you send both, they must be equal.',
  ),
]

/** The refusals of an order, except that of its balance. */
export const orderErrors: ErrorName[] = [
  ...(['INVALID_CALLBACK_URL', 'DELIVERY_DATA_INVALID', 'IDEMPOTENCY_KEY_REUSED'] as const),
  ...(['ORDERED_PRODUCT_NOT_FOUND', 'PRODUCT_UNAVAILABLE', 'QUANTITY_OUT_OF_RANGE'] as const),
  'PRICE_CHANGED',
]

/** Orders: placing one, their list, quotes, one order and its timeline (specification 2.2, 2.3 and 4). */
export const orderRoutes = [
  route({
    method: 'post',
    path: '/b2b/orders',
    access,
    id: 'placeOrder',
    tag,
    summary: 'Place an order',
    description: [
      'One request is one order and one charge. The new order is `processing`. Its result comes by webhook, and `GET ' +
        '/b2b/orders/{code}` returns it.',
      'It is always safe to repeat the request. The same idempotency key with the same `items`, `externalOrderId` and ' +
        '`callbackUrl` returns 200, the order as it is now and `Idempotent-Replayed: true`, and charges nothing. With ' +
        'other content it returns 409. A refused request (4xx) does not use up the key. After a 5xx or a lost ' +
        'connection, repeat the request.',
      'The checks, in this order: shape, idempotency, `callbackUrl`, products, `deliveryData`, availability, ' +
        'quantities, prices, spending limits, balance. Fields that are not listed here are ignored, and `null` counts as ' +
        'absent.',
    ].join('\n\n'),
    headers: idempotencyHeaders,
    body: { schema: orderRequest, unread: true },
    answers: {
      200: {
        description: 'An earlier request placed the order.',
        data: models.order,
        headers: ['Cache-Control', 'Idempotent-Replayed'],
      },
      201: {
        description: 'The order is placed and charged.',
        data: models.order,
        links: { ReadOrder: link('getOrder', 'The order, with its result when it is final.', 'code') },
      },
    },
    errors: [...orderErrors, 'SPENDING_LIMIT', 'INSUFFICIENT_BALANCE'],
    keep: ({ db, metrics }) => ({ place: placeInBatches(db, metrics) }),
    handle: async (ctx, { db, reads, sealing, turns, allowNetworks, metrics, account, place }) => {
      const asked = await readOrder(ctx)
      const request = sqlRequest(ctx, asked.order, asked.idempotencyKey, allowNetworks)
      const placed = await ctx.state.databaseTime(() => place(request).finally(() => reads.noteWrite(account.id)))
      if (placed.result === 'created') metrics.placedOrder(account, Number(placed.total_amount))
      else if (placed.result !== 'replayed') metrics.refusedOrder(account, placed.result)
      if (placed.result !== 'replayed') return answerPlaced(ctx, placed)
      const { code } = JSON.parse(placed.body) as { code: string }
      const wanted = { account_id: account.id, code, with_deliveries: false }
      const body = await readWhole(ctx, wanted, { db, sealing, turns })
      if (body === null) throw new Error('an order that was repeated does not exist')
      answerPlaced(ctx, { ...placed, body })
    },
  }),
  route({
    method: 'get',
    path: '/b2b/orders',
    access,
    id: 'listOrders',
    tag,
    summary: 'List orders',
    description:
      'Newest first, the items without their keys. There are two ways to page. With `cursor`, pages are stable while ' +
      'orders are added; a page has at most 1,000 items, but at least one order. With `page`, send the `asOf` of the ' +
      'first page with the others. `cursor` excludes `page`, and `asOf` needs `page`.',
    query: ordersQuery,
    answers: { 200: { description: 'The orders.', data: models.orderPage } },
    handle: async (ctx, { db, reads, turns, account: { id }, query }) => {
      const { cursor, page, asOf, externalOrderId } = query
      if (cursor !== undefined && page !== undefined)
        throw invalid([{ path: 'page', message: 'must not come with a cursor' }])
      if (asOf !== undefined && page === undefined) throw invalid([{ path: 'asOf', message: 'must come with a page' }])
      // A partner that searches for its reference asks whether an order was placed: a standby may not know it yet.
      const source = externalOrderId === undefined ? reads : db
      const read = () =>
        source.call('api.list_orders', {
          account_id: id,
          page_limit: query.limit,
          after_code: cursor,
          page,
          status: query.status,
          external_order_id: externalOrderId,
          created_from: query.createdFrom,
          created_to: query.createdTo,
          as_of: asOf,
        })
      const orders = await turns(id, () => ctx.state.databaseTime(read))
      if (orders !== null) return replyUnstored(ctx, orders)
      if (asOf === undefined) throw invalid([{ path: 'cursor', message: 'must be a nextCursor' }])
      throw invalid([{ path: 'asOf', message: 'must be an asOf' }])
    },
  }),
  route({
    method: 'post',
    path: '/b2b/orders/quote',
    access,
    id: 'quoteOrder',
    tag,
    summary: 'Quote an order',
    description: [
      'The body is that of an order without `externalOrderId`. The answer has the present prices, the total and the ' +
        'balance after the order. `wouldBeRefused` has the status, `code` and `details` of the refusal that the order ' +
        'would get now. Nothing is placed, charged or reserved.',
      'The checks are those of an order, except idempotency: the idempotency headers and `externalOrderId` are ' +
        'ignored. A malformed body is a 400.',
    ].join('\n\n'),
    body: { schema: quoteRequest },
    answers: { 200: { description: 'The quote, also for an order that would be refused.', data: models.quote } },
    handle: async (ctx, { db, allowNetworks, body }) => {
      const request = sqlRequest(ctx, body, null, allowNetworks)
      const [quoted] = await ctx.state.databaseTime(() => db.call('api.quote_order', { request }))
      if (quoted === undefined) throw new Error('api.quote_order gave no answer')
      if (quoted.result === 'UNAUTHORIZED') return refuse(ctx, 'UNAUTHORIZED')
      const wouldBeRefused = JSON.stringify(refusalFor(quoted.result, quoted.refusal))
      // The quote is the text that SQL rendered, an object with fields.
      replyUnstored(ctx, `${quoted.quote.slice(0, -1)},"wouldBeRefused":${wouldBeRefused}}`)
    },
  }),
  route({
    method: 'get',
    path: '/b2b/orders/:code',
    access,
    id: 'getOrder',
    tag,
    summary: 'Read an order',
    description:
      'For a partial result, `items[].status` shows what was delivered. The `cdKeys` of delivered items are shown ' +
      'although the order is `failed`. No webhook reports a partial result: poll orders that are not final. ' +
      '`deliveries` is the status of the webhook.',
    params: { code: ofOrder },
    answers: {
      200: {
        description: 'The order.',
        data: models.order,
        links: {
          ReadTimeline: link('getOrderTimeline', 'The history of the order.', 'code'),
          ReadEvent: link('getEvent', 'The event of the order, if it has one.', 'eventId', 'deliveries/eventId'),
          RedeliverEvent: link(
            'redeliverEvent',
            'A new delivery of the order’s event.',
            'eventId',
            'deliveries/eventId',
          ),
        },
      },
    },
    errors: ['ORDER_NOT_FOUND'],
    handle: async (ctx, { db, sealing, turns, account: { id: account_id }, params: { code } }) => {
      const order = await readWhole(ctx, { account_id, code }, { db, sealing, turns })
      if (order !== null) return replyUnstored(ctx, order)
      const message = `simulated orders are read at /simulation/orders/${code}`
      refuse(ctx, 'ORDER_NOT_FOUND', code.startsWith('sim_') ? { details: [{ path: 'code', message }] } : undefined)
    },
  }),
  route({
    method: 'post',
    path: '/b2b/orders/:code/cancel',
    access,
    id: 'cancelOrder',
    tag,
    summary: 'Cancel an order',
    description:
      'Items that certainly never reached a supplier fail with `errorCode` `CANCELLED`, and are refunded when the ' +
      'order ends. Items that a supplier may have are left as they are. A repeat gets the same answer. The request has ' +
      'no body.',
    params: { code: ofOrder },
    answers: { 200: { description: 'The order, with its cancelled items.', data: models.order } },
    errors: ['ORDER_NOT_FOUND', 'NOT_CANCELLABLE'],
    handle: async (ctx, { db, reads, sealing, turns, changeTurns, account: { id: account_id }, params: { code } }) => {
      const cancel = () => db.call('api.cancel_order', { account_id, code }).finally(() => reads.noteWrite(account_id))
      const [answer] = await changeTurns(account_id, () => ctx.state.databaseTime(cancel))
      if (answer === undefined) throw new Error('api.cancel_order returned no row')
      if (answer.body === null) return refuse(ctx, refusalOf(answer.result))
      const order = await readWhole(ctx, { account_id, code, with_deliveries: false }, { db, sealing, turns })
      replyUnstored(ctx, order ?? answer.body)
    },
  }),
  route({
    method: 'get',
    path: '/b2b/orders/:code/timeline',
    access,
    id: 'getOrderTimeline',
    tag,
    summary: 'Read the timeline of an order',
    description:
      'Placed, charged, sent to the supplier, the result of each item, refunds, and each delivery of the event, oldest ' +
      'first. Single attempts are kept for some months, and shown for the last 20 rounds.',
    params: { code: ofOrder },
    answers: { 200: { description: 'The timeline.', data: orderTimeline } },
    errors: ['ORDER_NOT_FOUND'],
    handle: async (ctx, { db, account: { id: account_id }, params: { code } }) => {
      const timeline = await ctx.state.databaseTime(() => db.call('api.order_timeline', { account_id, code }))
      if (timeline === null) return refuse(ctx, 'ORDER_NOT_FOUND')
      replyUnstored(ctx, timeline)
    },
  }),
]

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

// An order with more codes than this is read in its account's turn, as lists are.
const maxCodesOutOfTurn = 200

/** Reads an order of the account with its codes; null: there is none with this code. */
async function readWhole(
  ctx: RouteContext,
  wanted: { account_id: string; code: string; with_deliveries?: boolean },
  { db, sealing, turns }: Pick<RouteOptions, 'db' | 'sealing' | 'turns'>,
): Promise<string | null> {
  const look = async (max_codes: number | null) => {
    const read = () => db.call('api.get_order', { ...wanted, max_codes })
    const [order] = await ctx.state.databaseTime(read)
    return order
  }
  const order = await look(maxCodesOutOfTurn)
  if (order === undefined) return null
  if (order.body !== null) return sealing.openCodes(order.body)
  const readLarge = async () => {
    const whole = await look(null)
    return sealing.openCodes(whole?.body ?? 'null')
  }
  return turns(wanted.account_id, readLarge, order.codes)
}

/** The refusal that the order would get; null if it would be accepted. */
function refusalFor(result: string, extras: string): object | null {
  if (result === 'created') return null
  const { status, body } = errorOf(refusalOf(result), JSON.parse(extras) as ErrorExtras)
  const { success: _, ...refusal } = body as { success?: false }
  return { status, ...refusal }
}
