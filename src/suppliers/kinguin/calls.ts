import type { SupplierCall } from '../adapter.ts'
import type { HttpAnswer } from '../exchange.ts'
import { hold, type SupplierOutcome, unanswered, unusable } from '../outcome.ts'
import { errorIn, type Gateway, lost } from './gateway.ts'
import { isForItem, isOurs, type KinguinOrder, readFoundOrders, readOrder } from './order.ts'
import { orderFor } from './order_request.ts'
import { readRefusal } from './refusal.ts'
import { settleOrder } from './settle.ts'

/** Places the order of an item. One that was sent before is looked for first, for a repeat may be a second order. */
export async function placeOrder(gateway: Gateway, call: SupplierCall, signal: AbortSignal): Promise<SupplierOutcome> {
  // guard: an item that was sent is looked for first
  if (call.firstSentAt !== null) {
    const found = await findOrder(gateway, call, signal)
    if (found.outcome !== 'not_received') return found
  }
  const order = orderFor(call)
  if ('outcome' in order) return order
  const exchange = await gateway({ path: '/v2/order', order }, signal)
  if (!('answer' in exchange)) return unanswered(exchange)
  const { answer } = exchange
  if (answer.status !== 200 && answer.status !== 201) return readRefusal(call, answer)
  return interpretOrder(gateway, call, answer, signal)
}

/** Asks how the order of an item stands: by the name that it has there, where that is known, else by our reference. */
export async function askForOrder(gateway: Gateway, call: SupplierCall, signal: AbortSignal): Promise<SupplierOutcome> {
  const { supplierOrderId: known } = call
  if (known === null) return findOrder(gateway, call, signal)
  const exchange = await gateway({ path: `/v1/order/${encodeURIComponent(known)}` }, signal)
  if ('answer' in exchange && exchange.answer.status === 200) {
    return interpretOrder(gateway, call, exchange.answer, signal)
  }
  const isUnknownThere = 'answer' in exchange && errorIn(exchange.answer)?.kind === 'OrderNotFound'
  return isUnknownThere ? findOrder(gateway, call, signal) : lost(call, exchange)
}

async function findOrder(gateway: Gateway, call: SupplierCall, signal: AbortSignal): Promise<SupplierOutcome> {
  const query = { orderExternalId: call.reference, limit: '100' }
  const exchange = await gateway({ path: '/v1/order', query }, signal)
  if (!('answer' in exchange) || exchange.answer.status !== 200) return lost(call, exchange)
  const { answer } = exchange
  const found = readFoundOrders(answer, call.reference)
  if (!found.ok) return unusable(call, answer, found.problem)
  const [order, another] = found.value
  if (order === undefined) return { outcome: 'not_received' }
  if (another !== undefined) {
    return hold('several orders there have the reference', { httpStatus: answer.status })
  }
  return takeOrder(gateway, call, answer, order, signal)
}

async function interpretOrder(
  gateway: Gateway,
  call: SupplierCall,
  answer: HttpAnswer,
  signal: AbortSignal,
): Promise<SupplierOutcome> {
  const order = readOrder(answer)
  if (!order.ok) return unusable(call, answer, order.problem)
  if (!isOurs(order.value, call.reference)) return unusable(call, answer, 'it names another order')
  return takeOrder(gateway, call, answer, order.value, signal)
}

function takeOrder(
  gateway: Gateway,
  call: SupplierCall,
  answer: HttpAnswer,
  order: KinguinOrder,
  signal: AbortSignal,
): Promise<SupplierOutcome> | SupplierOutcome {
  if (isForItem(order, call)) return settleOrder(gateway, call, answer, order, signal)
  return hold('the order there is for another product, offer or quantity', {
    supplierOrderId: order.orderId,
    httpStatus: answer.status,
  })
}
