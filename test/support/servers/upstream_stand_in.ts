import type { ListedOffer } from '../../../src/suppliers/adapter.ts'
import { type StandIn, type StandInAnswer, type StandInRequest, startStandIn } from './supplier_stand_in.ts'

/** How an order stands upstream; of one that failed, `codes` are the part that was delivered. */
type UpstreamStanding = { status: 'processing' | 'completed' | 'failed'; codes: string[] }

/** What becomes of an order that is placed: it is taken and stands so, or it is answered by this. */
export type UpstreamPlan = UpstreamStanding | StandInAnswer

/** An upstream of this service's family. By default an order that is placed is processing. */
export type UpstreamStandIn = StandIn & {
  apiKey: string
  plan: (externalOrderId: string, plan: UpstreamPlan) => void
  /** How many orders were made under an external id. */
  ordersFor: (externalOrderId: string) => number
  /** From now on it accepts this api key only. */
  changeKey: (apiKey: string) => void
  /** Puts a product into its catalog. */
  list: (offer: ListedOffer) => void
  fund: (balance: number) => void
}

type OrderBody = {
  externalOrderId: string
  items: [{ productId: number; quantity: number; deliveryData: object; maxPrice?: number }]
  callbackUrl?: string
}
type UpstreamOrder = { code: string; body: OrderBody; bound: string }
type State = {
  apiKey: string
  balance: number
  plans: Map<string, UpstreamPlan>
  /** By idempotency key. */
  orders: Map<string, UpstreamOrder>
  offers: Map<string, ListedOffer>
}

/** What each unit costs upstream. */
export const upstreamPrice = 790

/** Starts an upstream on 127.0.0.1 that does what the contract says of orders and the catalog, as far as a client sees it. */
export async function startUpstream(): Promise<UpstreamStandIn> {
  const apiKey = `svc_live_${'0'.repeat(48)}`
  const state: State = { apiKey, balance: 100_000, plans: new Map(), orders: new Map(), offers: new Map() }
  const standIn = await startStandIn({
    places: ({ method }) => method === 'POST',
    answer: (request) => answerTo(state, request),
  })
  return {
    ...standIn,
    apiKey,
    plan: (externalOrderId, plan) => void state.plans.set(externalOrderId, plan),
    ordersFor: (externalOrderId) => ordersOf(state, externalOrderId).length,
    changeKey: (next) => {
      state.apiKey = next
    },
    list: (offer) => void state.offers.set(offer.sku, offer),
    fund: (balance) => {
      state.balance = balance
    },
  }
}

/** A refusal in the words of the family. */
export function refusal(status: number, code: string, error = code): StandInAnswer {
  return { status, json: { success: false, error, code } }
}

function answerTo(state: State, request: StandInRequest): StandInAnswer {
  if (request.headers['x-api-key'] !== state.apiKey) {
    return { status: 401, json: { error: 'Unauthorized', message: 'Invalid or missing API key' } }
  }
  const path = request.path.slice(request.path.indexOf('/b2b/') + '/b2b'.length)
  if (request.method === 'POST' && path === '/orders') return place(state, request)
  if (path === '/orders') return find(state, request.query.get('externalOrderId') ?? '')
  if (path === '/balance') return data({ balance: state.balance, currency: 'RUB' })
  if (path === '/catalog/games') return data([{ slug: 'no-products' }, { slug: 'frost-kingdoms' }])
  if (path.startsWith('/catalog/games/')) return listProducts(state, path)
  if (path.startsWith('/catalog/products/')) return showProduct(state, Number(path.split('/').at(-1)))
  const code = path.split('/').at(-1)
  const order = [...state.orders.values()].find((one) => one.code === code)
  return order === undefined ? refusal(404, 'ORDER_NOT_FOUND') : data(render(state, order))
}

function place(state: State, { headers, rawBody, body }: StandInRequest): StandInAnswer {
  const order = body as OrderBody
  const key = String(headers['x-idempotency-key'])
  // Caps are no part of what is compared.
  const bound = rawBody.replace(/,"maxPrice":[\d.]+/, '')
  const known = state.orders.get(key)
  if (known !== undefined) {
    if (known.bound === bound) return data(render(state, known))
    return refusal(409, 'IDEMPOTENCY_KEY_REUSED', 'idempotency_key_reused_with_different_body')
  }
  const plan = state.plans.get(order.externalOrderId)
  if (plan !== undefined && !('codes' in plan)) return plan
  const placed = { code: `ord_${crypto.randomUUID().replaceAll('-', '')}`, body: order, bound }
  state.orders.set(key, placed)
  const rendered = render(state, placed)
  const total = rendered.totalAmount
  return { ...data({ ...rendered, orders: [{ code: placed.code, total, itemCount: 1 }] }), status: 201 }
}

function find(state: State, externalOrderId: string): StandInAnswer {
  const orders = ordersOf(state, externalOrderId).map((order) => {
    const { items, ...rendered } = render(state, order)
    return { ...rendered, items: items.map(({ cdKeys: _, ...item }) => item) }
  })
  return data({ orders, pagination: { limit: 100, nextCursor: null, hasMore: false } })
}

function ordersOf(state: State, externalOrderId: string): UpstreamOrder[] {
  return [...state.orders.values()].filter(({ body }) => body.externalOrderId === externalOrderId)
}

function render(state: State, { code, body }: UpstreamOrder) {
  const planned = state.plans.get(body.externalOrderId)
  const { status, codes } = planned !== undefined && 'codes' in planned ? planned : { status: 'processing', codes: [] }
  const [{ productId, quantity }] = body.items
  const item = (amount: number, itemStatus: string, keys: string[]) => ({
    id: crypto.randomUUID(),
    productId,
    productName: 'Frost Kingdoms: Deep Ice',
    amount,
    price: upstreamPrice,
    status: itemStatus,
    refundedAmount: 0,
    errorCode: itemStatus === 'failed' ? (codes.length > 0 ? 'OUT_OF_STOCK' : 'SUPPLIER_ERROR') : null,
    errorMessage: itemStatus === 'failed' ? 'Не удалось выполнить заказ.' : null,
    ...(keys.length > 0 ? { cdKeys: keys.map((key) => ({ code: key })) } : {}),
    completedAt: null,
  })
  const delivered = status === 'failed' ? codes.length : quantity
  const items =
    status === 'failed'
      ? [
          ...(delivered > 0 ? [item(delivered, 'completed', codes)] : []),
          ...(delivered < quantity ? [item(quantity - delivered, 'failed', [])] : []),
        ]
      : [item(quantity, status, codes)]
  return {
    code,
    orderCode: code,
    externalOrderId: body.externalOrderId,
    status,
    totalAmount: upstreamPrice * quantity,
    currency: 'RUB',
    callbackUrl: body.callbackUrl ?? null,
    reason: null,
    items,
  }
}

function listProducts({ offers }: State, path: string): StandInAnswer {
  if (!path.endsWith('/frost-kingdoms/products')) return data([])
  return data(
    [...offers.values()].map(({ sku, cost, currency, stock }) => ({
      id: Number(sku),
      name: 'A product',
      wholesalePrice: Number(cost),
      currency,
      inStock: stock !== 0,
    })),
  )
}

function showProduct({ offers }: State, id: number): StandInAnswer {
  const offer = offers.get(String(id))
  return offer === undefined ? refusal(404, 'PRODUCT_NOT_FOUND') : data({ id, texts: offer.texts ?? null })
}

function data(value: unknown): StandInAnswer {
  return { status: 200, json: { success: true, data: value } }
}
