import * as v from 'valibot'
import type { SupplierCall } from '../adapter.ts'
import type { Ask } from '../api.ts'
import { quoteBody, readAnswer } from '../body.ts'
import type { Exchange, HttpAnswer } from '../exchange.ts'
import { hold, inconclusive, notPlaced, type SupplierOutcome, unanswered, unusable } from '../outcome.ts'
import { list, object, text } from '../parts.ts'
import { orderCode, productIdOf, readOrder, readPlacedOrder, underWay } from './order.ts'
import { isOtherBody, readRefusal } from './refusal.ts'

type FoundOrder = { code: string; httpStatus: number }

const listSchema = object({ data: object({ orders: list(object({ code: orderCode, externalOrderId: text })) }) })

/** Places the order of an item, or repeats it: the item's reference is the idempotency key and the external id. */
export async function placeOrder(ask: Ask, call: SupplierCall): Promise<SupplierOutcome> {
  const productId = productIdOf(call.sku)
  if (productId === undefined) return notPlaced('settings', 'the sku is no product id')
  const headers = { 'x-idempotency-key': call.reference }
  const placing = { maySend: call.maySend, repeatable: true }
  const exchange = await ask({ path: '/orders', headers, body: orderFor(call, productId), placing })
  if (!('answer' in exchange)) return unanswered(exchange)
  const { answer } = exchange
  if (answer.status === 200 || answer.status === 201) return readPlacedOrder(call, answer)
  if (isOtherBody(answer)) return settleOtherBody(ask, call, answer)
  return readRefusal(call, answer)
}

/** Asks for the status of an item's order: by the order's code if it is known, else by our reference. */
export async function askForOrder(ask: Ask, call: SupplierCall): Promise<SupplierOutcome> {
  const known = call.supplierOrderId
  if (known !== null && v.is(orderCode, known)) return readByCode(ask, call, known)
  const found = await findOrder(ask, call)
  return 'code' in found ? readByCode(ask, call, found.code) : found
}

function orderFor(call: SupplierCall, productId: number): object {
  const { reference, quantity, deliveryData, unitCost, eventsUrl } = call
  const maxPrice = Number(unitCost ?? 0)
  return {
    externalOrderId: reference,
    items: [{ productId, quantity, deliveryData, ...(maxPrice > 0 ? { maxPrice } : {}) }],
    ...(eventsUrl === null ? {} : { callbackUrl: eventsUrl }),
  }
}

/**
 * The upstream has an order with our reference and another body. It is ours if only our URL for events changed between
 * a call and its repetition.
 */
async function settleOtherBody(ask: Ask, call: SupplierCall, refused: HttpAnswer): Promise<SupplierOutcome> {
  const found = await findOrder(ask, call)
  // The next read compares the order with the item.
  if ('code' in found) return underWay(found.code, found.httpStatus)
  if (found.outcome !== 'not_received') return found
  const details = { httpStatus: refused.status, raw: quoteBody(call, refused) }
  return hold('the reference is bound to another order, which cannot be found', details)
}

async function readByCode(ask: Ask, call: SupplierCall, code: string): Promise<SupplierOutcome> {
  const exchange = await ask({ path: `/orders/${code}` })
  // A 404 proves nothing: the API key may belong to another account.
  return usable(exchange) ? readOrder(call, exchange.answer) : inconclusive(call, exchange)
}

/** Finds the order with our reference. Without one, returns an outcome: `not_received` if there is none. */
async function findOrder(ask: Ask, call: SupplierCall): Promise<FoundOrder | SupplierOutcome> {
  const query = { externalOrderId: call.reference, limit: '100' }
  const exchange = await ask({ path: '/orders', query })
  if (!usable(exchange)) return inconclusive(call, exchange)
  const { answer } = exchange
  const read = readAnswer(listSchema, answer)
  if (!read.ok) return unusable(call, answer, read.problem)
  const { orders } = read.value.data
  // If the list holds other orders, the upstream may have ignored the search, and ours may be on a later page.
  if (orders.some(({ externalOrderId }) => externalOrderId !== call.reference)) {
    return unusable(call, answer, 'it lists orders of other references')
  }
  const [order, another] = orders
  if (order === undefined) return { outcome: 'not_received' }
  if (another !== undefined) return hold('several orders have the reference', { httpStatus: answer.status })
  return { code: order.code, httpStatus: answer.status }
}

function usable(exchange: Exchange): exchange is { answer: HttpAnswer } {
  return 'answer' in exchange && exchange.answer.status === 200
}
