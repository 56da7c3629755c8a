import * as v from 'valibot'
import type { SupplierCall } from '../adapter.ts'
import { problemOf } from '../answer.ts'
import { readJsonBody } from '../body.ts'
import type { HttpAnswer } from '../exchange.ts'

/** A sku as the API knows it. Without an offer the API takes any that serve. */
export type Sku = { productId: string; offerId: string | null }

/** What an answer says of orders, or why that cannot be used. */
export type Parsed<T> = { ok: true; value: T } | { ok: false; problem: string }

const text = v.string('must be a string')
const status = v.picklist(
  ['processing', 'completed', 'canceled', 'refunded'],
  'must be processing, completed, canceled or refunded',
)
const keyStatus = v.object({ id: v.union([text, v.number()], 'must be an id'), status: text }, 'must be an object')

const productSchema = v.object(
  {
    productId: text,
    offerId: v.nullish(text, null),
    qty: v.pipe(v.number('must be a number'), v.safeInteger('must be an integer'), v.minValue(1, 'must be 1 or more')),
    keys: v.nullish(v.array(keyStatus, 'must be an array'), null),
  },
  'must be an object',
)

const orderSchema = v.object(
  {
    orderId: v.pipe(text, v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the id of an order')),
    orderExternalId: v.nullish(text, null),
    status,
    products: v.pipe(v.array(productSchema, 'must be an array'), v.minLength(1, 'must not be empty')),
  },
  'must be an object',
)

const foundSchema = v.object(
  {
    results: v.array(v.object({ orderExternalId: v.nullish(text, null) }, 'must be an object'), 'must be an array'),
    item_count: v.number('must be a number'),
  },
  'must be an object',
)

/** An order as the API tells it. */
export type KinguinOrder = v.InferOutput<typeof orderSchema>

/** Reads `productId` or `productId/offerId`; undefined where a sku is neither. */
export function readSku(sku: string): Sku | undefined {
  const [productId = '', offerId = null, ...rest] = sku.split('/')
  const isId = (id: string) => /^[A-Za-z0-9_-]{1,64}$/.test(id)
  return rest.length === 0 && isId(productId) && (offerId === null || isId(offerId))
    ? { productId, offerId }
    : undefined
}

/** The order in an answer about one. */
export function readOrder(answer: HttpAnswer): Parsed<KinguinOrder> {
  const read = readJsonBody(answer)
  return read.readable ? parse(orderSchema, read.value) : { ok: false, problem: read.problem }
}

/** The orders that a search by a reference found; unusable where it found others', for then it did not search by it. */
export function readFoundOrders(answer: HttpAnswer, reference: string): Parsed<KinguinOrder[]> {
  const read = readJsonBody(answer)
  if (!read.readable) return { ok: false, problem: read.problem }
  const found = parse(foundSchema, read.value)
  if (!found.ok) return found
  const { results, item_count: count } = found.value
  if (results.some((order) => !isOurs(order, reference))) return { ok: false, problem: 'it names another order' }
  if (count !== results.length) return { ok: false, problem: 'it counts other orders than it lists' }
  const orders = parse(v.object({ results: v.array(orderSchema) }), read.value)
  return orders.ok ? { ok: true, value: orders.value.results } : orders
}

/** Whether an order has our reference. UUIDs are compared without their case. */
export function isOurs(order: Pick<KinguinOrder, 'orderExternalId'>, reference: string): boolean {
  return order.orderExternalId?.toLowerCase() === reference.toLowerCase()
}

/** Whether an order is for what the item is: the product, the offer if one was named, and how many of it. */
export function isForItem({ products }: KinguinOrder, call: SupplierCall): boolean {
  const sku = readSku(call.sku)
  const matches = products.every(
    ({ productId, offerId }) => productId === sku?.productId && (sku.offerId === null || offerId === sku.offerId),
  )
  // The API may serve an order from several offers.
  return matches && products.reduce((sum, { qty }) => sum + qty, 0) === call.quantity
}

function parse<Schema extends v.GenericSchema>(schema: Schema, value: unknown): Parsed<v.InferOutput<Schema>> {
  const parsed = v.safeParse(schema, value, { abortEarly: true })
  return parsed.success ? { ok: true, value: parsed.output } : { ok: false, problem: problemOf(parsed.issues[0]) }
}
