import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import * as v from 'valibot'
import { parseJson } from '../../messages/json.ts'
import { behaviourFor } from '../../simulation/scenarios.ts'
import { catalog, games, listedProduct, type SimulatedProduct } from './catalog.ts'
import { misbehaviour, resultOf, type SimulatedAnswer, type SimulatedOrder } from './orders.ts'

/** An order of the simulated upstream. */
export type UpstreamOrder = SimulatedOrder & {
  code: string
  product: SimulatedProduct
  callbackUrl: string | null
  /** The fields that a repeated order is compared by. */
  contents: object
}

/** A request to the simulated upstream: `path` is what follows `/b2b`, with its query. */
export type UpstreamRequest = { method: string; path: string; idempotencyKey: string | undefined; body: Buffer }

/** The state of the simulated upstream. `elapsed` is the seconds of the simulation since an order was accepted. */
export type UpstreamState = {
  /** By idempotency key. */
  orders: ReadonlyMap<string, UpstreamOrder>
  accept: (key: string, order: UpstreamOrder) => void
  elapsed: (order: SimulatedOrder) => number
}

const orderSchema = v.object({
  externalOrderId: v.pipe(v.string(), v.minLength(1), v.maxLength(128)),
  items: v.strictTuple([
    v.object({
      productId: v.pipe(v.number(), v.integer()),
      quantity: v.nullish(v.pipe(v.number(), v.integer(), v.minValue(1)), 1),
      deliveryData: v.nullish(v.record(v.string(), v.unknown()), () => ({})),
      maxPrice: v.nullish(v.number()),
    }),
  ]),
  callbackUrl: v.nullish(v.pipe(v.string(), v.url()), null),
})
type OrderBody = v.InferOutput<typeof orderSchema>

/**
 * What the simulated upstream answers: POST /b2b/orders (of one item), GET /b2b/orders/:code,
 * GET /b2b/orders?externalOrderId= and the catalog of the demo.
 */
export function answerUpstream(state: UpstreamState, request: UpstreamRequest): SimulatedAnswer {
  const { pathname, searchParams } = new URL(`http://upstream${request.path}`)
  if (request.method === 'POST' && pathname === '/orders') return answerPost(state, request)
  if (request.method !== 'GET') return refusal(405, 'METHOD_NOT_ALLOWED')
  if (pathname === '/orders') return answerSearch(state, searchParams.get('externalOrderId'))
  if (pathname.startsWith('/orders/')) return answerRead(state, pathname.slice('/orders/'.length))
  return answerCatalog(pathname)
}

/** The event of an order that ended; undefined if only a part failed, or the order has no `callbackUrl`. */
export function eventOf(order: UpstreamOrder, seconds: number) {
  const { codes } = resultOf(order, seconds)
  const { orderCode, externalOrderId, totalAmount, status, reason, items } = renderOrder(order, seconds)
  const isPart = status === 'failed' && codes.length > 0
  if (order.callbackUrl === null || status === 'processing' || isPart) return undefined
  const about = { orderCode, externalOrderId, totalAmount, status }
  const data =
    status === 'completed' ? { ...about, items: items.map(eventItem) } : { ...about, error: 'ORDER_FAILED', reason }
  return { type: `order.${status}`, callbackUrl: order.callbackUrl, data }
}

function answerPost(state: UpstreamState, { idempotencyKey, body }: UpstreamRequest): SimulatedAnswer {
  const wanted = v.safeParse(orderSchema, parseJson(body)?.value)
  if (!wanted.success) return refusal(400, 'VALIDATION_ERROR')
  const key = idempotencyKey ?? wanted.output.externalOrderId
  const known = state.orders.get(key)
  if (known !== undefined) {
    if (isDeepStrictEqual(known.contents, contentsOf(wanted.output))) return answerOrder(state, known, 'PUT')
    return refusal(409, 'IDEMPOTENCY_KEY_REUSED', 'idempotency_key_reused_with_different_body')
  }
  const [item] = wanted.output.items
  const product = catalog.find(({ id }) => id === item.productId)
  if (product === undefined) return refusal(422, 'PRODUCT_NOT_FOUND')
  if (!product.inStock) return refusal(422, 'PRODUCT_UNAVAILABLE')
  if (item.quantity > product.maxQuantity) return refusal(422, 'QUANTITY_OUT_OF_RANGE')
  if (item.maxPrice != null && product.price > item.maxPrice) return refusal(422, 'PRICE_CHANGED')
  const order = orderOf(key, product, wanted.output)
  state.accept(key, order)
  order.puts += 1
  // A new order is always processing first.
  const answer = misbehaviour('PUT', order) ?? data(renderOrder(order, Number.NEGATIVE_INFINITY))
  return answer !== 'silence' && answer.status === 200 ? { ...answer, status: 201 } : answer
}

function orderOf(key: string, product: SimulatedProduct, wanted: OrderBody): UpstreamOrder {
  const { externalOrderId: reference, items, callbackUrl } = wanted
  const [{ quantity, deliveryData }] = items
  const request = {
    reference,
    quantity,
    deliveryData,
    sku: product.deliveryType === 'key' ? `KEY-${product.id}` : `TOPUP-${product.id}`,
  }
  return {
    ...request,
    behaviour: behaviourFor(request),
    acceptedAt: Date.now(),
    puts: 0,
    gets: 0,
    product,
    callbackUrl,
    code: `ord_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`,
    contents: contentsOf(wanted),
  }
}

/** The fields that a repeated order is compared by: all except the cap of its price. */
function contentsOf({ externalOrderId, callbackUrl, items: [item] }: OrderBody): object {
  const { productId, quantity, deliveryData } = item
  return { externalOrderId, callbackUrl, productId, quantity, deliveryData }
}

function answerOrder(state: UpstreamState, order: UpstreamOrder, method: 'PUT' | 'GET'): SimulatedAnswer {
  if (method === 'PUT') order.puts += 1
  else order.gets += 1
  return misbehaviour(method, order) ?? data(renderOrder(order, state.elapsed(order)))
}

function answerRead(state: UpstreamState, code: string): SimulatedAnswer {
  const order = [...state.orders.values()].find((one) => one.code === code)
  return order === undefined ? refusal(404, 'ORDER_NOT_FOUND') : answerOrder(state, order, 'GET')
}

function answerSearch(state: UpstreamState, externalOrderId: string | null): SimulatedAnswer {
  const found = [...state.orders.values()].filter(({ reference }) => reference === externalOrderId)
  const orders = found.map((order) => {
    const { items, ...rendered } = renderOrder(order, state.elapsed(order))
    return { ...rendered, items: items.map(({ cdKeys: _, ...item }) => item) }
  })
  return data({ orders, pagination: { limit: 100, nextCursor: null, hasMore: false } })
}

function answerCatalog(path: string): SimulatedAnswer {
  if (path === '/catalog/games') return data(games)
  const slug = /^\/catalog\/games\/([^/]+)\/products$/.exec(path)?.[1]
  if (slug === undefined) return refusal(404, 'NOT_FOUND')
  if (!games.some((game) => game.slug === slug)) return refusal(404, 'GAME_NOT_FOUND')
  return data(catalog.filter(({ gameSlug }) => gameSlug === slug).map(listedProduct))
}

/** An order as GET shows it. One that failed in part has a completed item and a failed one. */
function renderOrder(order: UpstreamOrder, seconds: number) {
  const { status, codes, errorCode, reason } = resultOf(order, seconds)
  const delivered = status === 'failed' ? codes.length : order.quantity
  const item = (amount: number, itemStatus: string, keys: string[]) => ({
    productId: order.product.id,
    productName: order.product.name,
    amount,
    price: order.product.price,
    status: itemStatus,
    errorCode: itemStatus === 'failed' ? errorCode : null,
    errorMessage: itemStatus === 'failed' ? reason : null,
    ...(keys.length > 0 ? { cdKeys: keys.map((code) => ({ code })) } : {}),
  })
  const whole = status === 'failed' ? 'completed' : status
  return {
    code: order.code,
    orderCode: order.code,
    externalOrderId: order.reference,
    status,
    totalAmount: Math.round(order.product.price * order.quantity * 100) / 100,
    currency: 'RUB',
    callbackUrl: order.callbackUrl,
    reason: status === 'failed' ? reason : null,
    items: [
      ...(delivered > 0 ? [item(delivered, whole, codes)] : []),
      ...(delivered < order.quantity ? [item(order.quantity - delivered, 'failed', [])] : []),
    ],
  }
}

function eventItem({ productName, amount, price, cdKeys }: ReturnType<typeof renderOrder>['items'][number]) {
  return { productName, amount, price, ...(cdKeys === undefined ? {} : { cdKeys }) }
}

function data(value: unknown): { status: number; body: object } {
  return { status: 200, body: { success: true, data: value } }
}

function refusal(status: number, code: string, error = code): SimulatedAnswer {
  return { status, body: { success: false, error, code } }
}
