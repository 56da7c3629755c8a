import { type StandIn, type StandInAnswer, type StandInRequest, startStandIn } from './supplier_stand_in.ts'

/** A key as the API delivers it. */
export type TestKey = { id: string; serial: string; type: string; status: string }

/** An order at the stand-in. `keys` are those that were delivered. */
export type TestOrder = {
  orderId: string
  orderExternalId: string | null
  status: string
  productId: string
  offerId: string
  qty: number
  price: number
  keys: TestKey[]
}

export type TestOffer = { offerId: string; price: number; qty: number; textQty: number; wholesale: boolean }
export type TestProduct = { productId: string; kinguinId: number; isPreorder: boolean; offers: TestOffer[] }

/** An error in the API's own form. */
export type TestError = { status: number; kind: string; propertyPath?: string }

/** The stand-in for Kinguin's API; see `startKinguin`. */
export type Kinguin = StandIn & {
  /** What supplier rows have as their base URL. */
  baseUrl: string
  apiKey: string
  products: Map<string, TestProduct>
  /** In the order in which they were made. */
  orders: TestOrder[]
  /** What was wrong in requests, by what the API's documents say of them. Empty where all was right. */
  violations: string[]
  balance: number
  /** Called with the reference of each order that comes; an error that it returns is the answer. */
  onPlacing: (reference: string | null) => TestError | undefined
  /** Called with each order that was made. */
  onOrder: (order: TestOrder) => void
  /** The most keys and orders on one page. Less than what was asked for, if a test wants it so. */
  pageLimit: number
}

type State = Omit<Kinguin, keyof StandIn | 'baseUrl'>
type Placed = { productId: string; qty: number; price: number; keyType?: string; offerId?: string }

const base = '/esa/api'
const wholesaleQty = 1_000
const retailQty = 9

/**
 * Starts a stand-in for Kinguin's e-commerce API on 127.0.0.1, written from what is documented of it: paths, headers,
 * bodies, limits and kinds of errors. Like the API it makes a second order where a reference comes twice. Where the
 * documents do not name the status of an error, it is 400.
 */
export async function startKinguin({ apiKey = 'an-api-key-of-nobody' } = {}): Promise<Kinguin> {
  const state: State = {
    apiKey,
    products: new Map(),
    orders: [],
    violations: [],
    balance: 1_000_000,
    onPlacing: () => undefined,
    onOrder: () => {},
    pageLimit: 100,
  }
  const standIn = await startStandIn({
    places: ({ method, path }) => method === 'POST' && path === `${base}/v2/order`,
    answer: (request) => answer(state, request),
  })
  return Object.assign(state, standIn, { baseUrl: `${standIn.url}${base}` })
}

/** A product with one offer, of which there is enough. */
export function testProduct(productId: string, overrides: Partial<TestOffer> = {}): TestProduct {
  const offer = { offerId: `${productId}-o`, price: 4.75, qty: 1_000, textQty: 1_000, wholesale: false }
  return { productId, kinguinId: 1, isPreorder: false, offers: [{ ...offer, ...overrides }] }
}

/** Delivered keys of plain text. */
export function textKeys(serials: string[]): TestKey[] {
  return serials.map((serial) => ({ id: crypto.randomUUID(), serial, type: 'text/plain', status: 'DELIVERED' }))
}

function answer(state: State, request: StandInRequest): StandInAnswer {
  const { method, path, headers, query } = request
  if (headers['x-api-key'] !== state.apiKey) return refuse({ status: 401, kind: 'Authorization' })
  if (method !== 'GET' && method !== 'POST') return violate(state, `${method} ${path}`)
  if (method === 'GET' && request.rawBody !== '') return violate(state, `GET ${path} with a body`)
  if (request.places) return place(state, request)
  const [, version, what, id, part, ...rest] = path.startsWith(base) ? path.slice(base.length).split('/') : []
  const read = [version, what, id === undefined ? '' : ':id', part ?? ''].join(' ').trim()
  if (method !== 'GET' || rest.length > 0) return violate(state, `${method} ${path}`)
  const order = state.orders.find(({ orderId }) => orderId === id)
  switch (read) {
    case 'v1 order':
      return search(state, query)
    case 'v1 order :id':
      return order === undefined ? orderNotFound : { status: 200, json: orderObject(state, order) }
    case 'v2 order :id keys':
      return order === undefined ? orderNotFound : keysOf(state, order, query)
    case 'v2 products :id':
      return productOf(state, id ?? '')
    case 'v1 balance':
      return { status: 200, json: { balance: state.balance } }
    default:
      return violate(state, `${method} ${path}`)
  }
}

function place(state: State, { headers, body }: StandInRequest): StandInAnswer {
  if (!headers['content-type']?.startsWith('application/json')) return violate(state, 'an order that is no JSON')
  const problem = problemOfOrder(body)
  if (problem !== undefined) return violate(state, problem)
  const { products, orderExternalId = null } = body as { products: [Placed]; orderExternalId?: string }
  const [placed] = products
  const scripted = state.onPlacing(orderExternalId)
  if (scripted !== undefined) return refuse(scripted)
  const product = state.products.get(placed.productId)
  if (product === undefined) return refuse(constraint('products[0].productId'))
  if (product.isPreorder && placed.keyType !== undefined) return refuse({ status: 400, kind: 'Preorder' })
  const offer = offerFor(product, placed)
  if (!('offerId' in offer)) return refuse(offer)
  const total = offer.price * placed.qty
  if (total > state.balance) return refuse({ status: 400, kind: 'InsufficientBalance' })
  state.balance -= total
  offer.qty -= placed.qty
  offer.textQty -= placed.qty
  const order: TestOrder = {
    orderId: `K${crypto.randomUUID().replaceAll('-', '').slice(0, 10).toUpperCase()}`,
    orderExternalId,
    status: 'processing',
    ...{ productId: placed.productId, offerId: offer.offerId, qty: placed.qty, price: offer.price, keys: [] },
  }
  state.orders.push(order)
  state.onOrder(order)
  return { status: 201, json: orderObject(state, order) }
}

/** What is wrong with the body of an order, by the documents; undefined where nothing is. */
function problemOfOrder(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('products' in body)) return 'an order without products'
  const { products, orderExternalId, ...others } = body as { products: unknown; orderExternalId?: unknown }
  if (Object.keys(others).some((key) => key !== 'couponCode')) return 'an order with unknown fields'
  if (orderExternalId !== undefined && typeof orderExternalId !== 'string') return 'a reference that is no string'
  if (!Array.isArray(products) || products.length < 1 || products.length > 10) return 'not 1 to 10 products'
  if (products.length > 1) return 'more products than this stand-in knows of'
  const { productId, qty, price, keyType, offerId, name, ...rest } = products[0]
  if (Object.keys(rest).length > 0) return 'a product with unknown fields'
  if (typeof productId !== 'string') return 'a productId that is no string'
  if (!Number.isInteger(qty) || qty < 1) return 'a qty that is no number of units'
  if (typeof price !== 'number' || price <= 0 || price !== Number(price.toFixed(2))) return 'a price that is none'
  if (keyType !== undefined && keyType !== 'text') return 'an unknown keyType'
  if ([offerId, name].some((given) => given !== undefined && typeof given !== 'string')) return 'a text that is none'
  return undefined
}

function offerFor(product: TestProduct, { qty, price, keyType, offerId }: Placed): TestOffer | TestError {
  const named = product.offers.find((offer) => offer.offerId === offerId)
  if (offerId !== undefined && named === undefined) return { status: 400, kind: 'ProductUnavailable' }
  if (qty > (named?.wholesale ? wholesaleQty : retailQty)) return constraint('products[0].qty')
  const offers = named === undefined ? product.offers : [named]
  const serving = offers.find(
    (offer) => offer.price <= price && (keyType === 'text' ? offer.textQty : offer.qty) >= qty,
  )
  return serving ?? { status: 400, kind: 'ProductUnavailable' }
}

function search(state: State, query: URLSearchParams): StandInAnswer {
  const page = pageOf(state, query, ['orderExternalId'])
  if (page === undefined) return violate(state, `a search for ${query}`)
  const reference = query.get('orderExternalId')
  const found = state.orders.filter(({ orderExternalId }) => reference === null || orderExternalId === reference)
  const results = found.slice(...page).map((order) => orderObject(state, order))
  return { status: 200, json: { results, item_count: found.length } }
}

function keysOf(state: State, { keys, offerId, productId }: TestOrder, query: URLSearchParams): StandInAnswer {
  const page = pageOf(state, query, [])
  if (page === undefined) return violate(state, `keys of ${query}`)
  const { kinguinId = 0 } = state.products.get(productId) ?? {}
  const delivered = keys.filter(({ status }) => status !== 'PENDING' && status !== 'PROCESSING')
  const json = delivered
    .slice(...page)
    .map(({ id, serial, type }) => ({ id, serial, type, name: 'A game', kinguinId, offerId, productId }))
  return { status: 200, json }
}

function pageOf(state: State, query: URLSearchParams, others: string[]): [number, number] | undefined {
  const page = Number(query.get('page') ?? 1)
  const limit = Number(query.get('limit') ?? 25)
  const known = [...query.keys()].every((key) => ['page', 'limit', ...others].includes(key))
  if (!known || !Number.isInteger(page) || page < 1 || !Number.isInteger(limit) || limit < 1) return undefined
  if (limit > 100) return undefined
  const size = Math.min(limit, state.pageLimit)
  return [(page - 1) * size, page * size]
}

function orderObject(state: State, order: TestOrder): object {
  const { orderId, orderExternalId, status, productId, offerId, qty, price, keys } = order
  const { kinguinId = 0, isPreorder = false } = state.products.get(productId) ?? {}
  const total = Number((price * qty).toFixed(2))
  const named = { kinguinId, productId, offerId, name: 'A game', keyType: 'text', isPreorder }
  const product = { ...named, qty, price, totalPrice: total, requestPrice: price, keys: keys.map(statusOf) }
  const totals = { totalPrice: total, requestTotalPrice: total, paymentPrice: total, totalQty: qty }
  return { orderId, orderExternalId, status, isPreorder, ...totals, products: [product] }
}

const statusOf = ({ id, status }: TestKey) => ({ id, status })

function productOf(state: State, id: string): StandInAnswer {
  const product = state.products.get(id)
  if (product === undefined) return refuse({ status: 404, kind: 'Http' })
  const { offers, ...named } = product
  const [cheapest] = offers.toSorted((one, other) => one.price - other.price)
  const { price = 0, qty = 0, textQty = 0 } = cheapest ?? {}
  const listed = offers.map(({ wholesale, ...offer }) => ({ ...offer, wholesale: { enabled: wholesale, tiers: [] } }))
  return { status: 200, json: { ...named, name: 'A game', price, qty, textQty, offers: listed } }
}

const orderNotFound = refuse({ status: 404, kind: 'OrderNotFound' })

function constraint(propertyPath: string): TestError {
  return { status: 400, kind: 'ConstraintViolation', propertyPath }
}

function violate(state: State, violation: string): StandInAnswer {
  state.violations.push(violation)
  return refuse({ status: 400, kind: 'Http' })
}

function refuse({ status, kind, propertyPath }: TestError): StandInAnswer {
  const about = { title: 'An error', detail: 'It is refused.', path: '/', method: 'GET', trace: 'a1b2c3' }
  const field = propertyPath === undefined ? {} : { propertyPath, invalidValue: null }
  return { status, json: { kind, status, ...about, timestamp: new Date().toISOString(), ...field } }
}
