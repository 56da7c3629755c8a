import type { SupplierCall } from '../adapter.ts'
import type { Ask } from '../api.ts'
import type { HttpAnswer } from '../exchange.ts'
import { hold, notPlaced, refused, type SupplierOutcome, unanswered, unusable } from '../outcome.ts'
import { isForItem, isOurs, type KinguinOrder, readFoundOrders, readOrder, readSku } from './order.ts'
import { errorIn, lost, readRefusal } from './refusal.ts'
import { settleOrder } from './settle.ts'

// The most units of one product in one order: from any offers together, and from a named wholesale offer.
const maxRetail = 9
const maxWholesale = 1_000

/** Places the order of an item. First looks for an order that was sent before: a repeat may place a second one. */
export async function placeOrder(ask: Ask, call: SupplierCall): Promise<SupplierOutcome> {
  // guard: an item that was sent is looked for first
  if (call.firstSentAt !== null) {
    const found = await findOrder(ask, call)
    if (found.outcome !== 'not_received') return found
  }
  const order = orderFor(call)
  if ('outcome' in order) return order
  const placing = { maySend: call.maySend, repeatable: false }
  const exchange = await ask({ path: '/v2/order', body: order, placing })
  if (!('answer' in exchange)) return unanswered(exchange)
  const { answer } = exchange
  if (answer.status !== 200 && answer.status !== 201) return readRefusal(call, answer)
  return interpretOrder(ask, call, answer)
}

/** The body that places the order of an item; or the outcome if the API cannot deliver the item. */
function orderFor(call: SupplierCall): object | SupplierOutcome {
  const { reference, quantity, unitCost, currency } = call
  const sku = readSku(call.sku)
  if (!call.deliversKeys) return notPlaced('settings', 'the supplier has nothing but keys')
  if (sku === undefined) return notPlaced('settings', 'the sku is no productId or productId/offerId')
  const price = Number(unitCost ?? 0)
  if (currency !== 'EUR' || !(price > 0)) return notPlaced('settings', 'the offer has no cost in EUR')
  const { productId, offerId } = sku
  if (quantity > (offerId === null ? maxRetail : maxWholesale)) return refused(null, 'OUT_OF_STOCK')
  const offer = offerId === null ? {} : { offerId }
  return { products: [{ productId, qty: quantity, price, keyType: 'text', ...offer }], orderExternalId: reference }
}

/** Asks for the status of an item's order: by the id of the API if it is known, else by our reference. */
export async function askForOrder(ask: Ask, call: SupplierCall): Promise<SupplierOutcome> {
  const { supplierOrderId: known } = call
  if (known === null) return findOrder(ask, call)
  const exchange = await ask({ path: `/v1/order/${encodeURIComponent(known)}` })
  if ('answer' in exchange && exchange.answer.status === 200) {
    return interpretOrder(ask, call, exchange.answer)
  }
  const isUnknownThere = 'answer' in exchange && errorIn(exchange.answer)?.kind === 'OrderNotFound'
  return isUnknownThere ? findOrder(ask, call) : lost(call, exchange)
}

async function findOrder(ask: Ask, call: SupplierCall): Promise<SupplierOutcome> {
  const query = { orderExternalId: call.reference, limit: '100' }
  const exchange = await ask({ path: '/v1/order', query })
  if (!('answer' in exchange) || exchange.answer.status !== 200) return lost(call, exchange)
  const { answer } = exchange
  const found = readFoundOrders(answer, call.reference)
  if (!found.ok) return unusable(call, answer, found.problem)
  const [order, another] = found.value
  if (order === undefined) return { outcome: 'not_received' }
  if (another !== undefined) {
    return hold('several orders there have the reference', { httpStatus: answer.status })
  }
  return takeOrder(ask, call, answer, order)
}

async function interpretOrder(ask: Ask, call: SupplierCall, answer: HttpAnswer): Promise<SupplierOutcome> {
  const order = readOrder(answer)
  if (!order.ok) return unusable(call, answer, order.problem)
  if (!isOurs(order.value, call.reference)) return unusable(call, answer, 'it names another order')
  return takeOrder(ask, call, answer, order.value)
}

function takeOrder(
  ask: Ask,
  call: SupplierCall,
  answer: HttpAnswer,
  order: KinguinOrder,
): Promise<SupplierOutcome> | SupplierOutcome {
  if (isForItem(order, call)) return settleOrder(ask, call, answer, order)
  return hold('the order there is for another product, offer or quantity', {
    supplierOrderId: order.orderId,
    httpStatus: answer.status,
  })
}
