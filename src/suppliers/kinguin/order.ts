import * as v from 'valibot'
import type { SupplierCall } from '../adapter.ts'
import { type Read, readAnswer, readValue } from '../body.ts'
import type { HttpAnswer } from '../exchange.ts'
import { count, list, number, object, optionalText, text } from '../parts.ts'

/** The ids of the API in a sku. Without an offer, the API chooses the offers. */
export type Sku = { productId: string; offerId: string | null }

const statuses = ['processing', 'completed', 'canceled', 'refunded'] as const
const keyStatus = object({ id: v.union([text, v.number()], 'must be an id'), status: text })
const productSchema = object({
  productId: text,
  offerId: optionalText,
  qty: count,
  price: v.fallback(v.nullish(number, null), null),
  keys: v.nullish(list(keyStatus), null),
})
const orderSchema = object({
  orderId: v.pipe(text, v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the id of an order')),
  orderExternalId: optionalText,
  status: v.picklist(statuses, 'must be processing, completed, canceled or refunded'),
  products: v.pipe(list(productSchema), v.minLength(1, 'must not be empty')),
})
const foundSchema = object({
  results: list(v.looseObject({ orderExternalId: optionalText }, 'must be an object')),
  item_count: number,
})
const ordersSchema = object({ results: list(orderSchema) })

/** An order in the form of the API. */
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
export function readOrder(answer: HttpAnswer): Read<KinguinOrder> {
  return readAnswer(orderSchema, answer)
}

/** The orders that a search by our reference found; unusable if it found others: then the API ignored the search. */
export function readFoundOrders(answer: HttpAnswer, reference: string): Read<KinguinOrder[]> {
  const found = readAnswer(foundSchema, answer)
  if (!found.ok) return found
  const { results, item_count: count } = found.value
  if (results.some((order) => !isOurs(order, reference))) return { ok: false, problem: 'it names another order' }
  if (count !== results.length) return { ok: false, problem: 'it counts other orders than it lists' }
  const orders = readValue(ordersSchema, found.value)
  return orders.ok ? { ok: true, value: orders.value.results } : orders
}

/** Whether an order has our reference. UUIDs are compared without their case. */
export function isOurs(order: Pick<KinguinOrder, 'orderExternalId'>, reference: string): boolean {
  return order.orderExternalId?.toLowerCase() === reference.toLowerCase()
}

/** Whether an order has the item's product, its offer if the sku names one, and its quantity. */
export function isForItem({ products }: KinguinOrder, call: SupplierCall): boolean {
  const sku = readSku(call.sku)
  const matches = products.every(
    ({ productId, offerId }) => productId === sku?.productId && (sku.offerId === null || offerId === sku.offerId),
  )
  // The API may serve an order from several offers.
  return matches && products.reduce((sum, { qty }) => sum + qty, 0) === call.quantity
}
