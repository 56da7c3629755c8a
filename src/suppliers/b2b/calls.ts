import * as v from 'valibot'
import type { SupplierCall } from '../adapter.ts'
import { problemOf } from '../answer.ts'
import { quoteBody, readJsonBody } from '../body.ts'
import type { Exchange, HttpAnswer } from '../exchange.ts'
import { hold, notPlaced, type SupplierOutcome, unanswered, unknown, unusable } from '../outcome.ts'
import { orderCode, productIdOf, readOrder, readPlacedOrder, underWay } from './order.ts'
import { isOtherBody, readRefusal } from './refusal.ts'
import type { Upstream, UpstreamOrder } from './upstream.ts'

type FoundOrder = { code: string; httpStatus: number }

const listed = v.object({ code: orderCode, externalOrderId: v.string('must be a string') }, 'must be an object')
const listSchema = v.object(
  { data: v.object({ orders: v.array(listed, 'must be an array') }, 'must be an object') },
  'must be an object',
)

/** Places the order of an item, or repeats it: the item's reference is the idempotency key and the external id. */
export async function placeOrder(
  upstream: Upstream,
  call: SupplierCall,
  signal: AbortSignal,
): Promise<SupplierOutcome> {
  const productId = productIdOf(call.sku)
  if (productId === undefined) return notPlaced('settings', 'the sku is no product id')
  const exchange = await upstream({ method: 'POST', path: '/orders', order: orderFor(call, productId) }, signal)
  if (!('answer' in exchange)) return unanswered(exchange)
  const { answer } = exchange
  if (answer.status === 200 || answer.status === 201) return readPlacedOrder(call, answer)
  if (isOtherBody(answer)) return settleOtherBody(upstream, call, answer, signal)
  return readRefusal(call, answer)
}

/** Asks how the order of an item stands: by its code where that is known, else by its reference. */
export async function askForOrder(
  upstream: Upstream,
  call: SupplierCall,
  signal: AbortSignal,
): Promise<SupplierOutcome> {
  const known = call.supplierOrderId
  if (known !== null && v.is(orderCode, known)) return readByCode(upstream, call, known, signal)
  const found = await findOrder(upstream, call, signal)
  return 'code' in found ? readByCode(upstream, call, found.code, signal) : found
}

function orderFor(call: SupplierCall, productId: number): UpstreamOrder {
  const { reference, quantity, deliveryData, unitCost, eventsUrl } = call
  const maxPrice = Number(unitCost ?? 0)
  return {
    externalOrderId: reference,
    items: [{ productId, quantity, deliveryData, ...(maxPrice > 0 ? { maxPrice } : {}) }],
    ...(eventsUrl === null ? {} : { callbackUrl: eventsUrl }),
  }
}

/**
 * The upstream has an order under our reference whose body was another one. So it is where our own address for events
 * changed between a call and its repetition: then it is our order all the same.
 */
async function settleOtherBody(
  upstream: Upstream,
  call: SupplierCall,
  refused: HttpAnswer,
  signal: AbortSignal,
): Promise<SupplierOutcome> {
  const found = await findOrder(upstream, call, signal)
  // What it holds is compared with the item when it is read.
  if ('code' in found) return underWay(found.code, found.httpStatus)
  if (found.outcome !== 'not_received') return found
  const details = { httpStatus: refused.status, raw: quoteBody(call, refused) }
  return hold('the reference is bound to another order, which cannot be found', details)
}

async function readByCode(
  upstream: Upstream,
  call: SupplierCall,
  code: string,
  signal: AbortSignal,
): Promise<SupplierOutcome> {
  const exchange = await upstream({ method: 'GET', path: `/orders/${code}` }, signal)
  // It named this order itself. That it does not know it now says nothing: another account sees none of ours.
  return usable(exchange) ? readOrder(call, exchange.answer) : lost(call, exchange)
}

/** Finds the order with our reference; or returns the outcome, which is `not_received` where there is none. */
async function findOrder(
  upstream: Upstream,
  call: SupplierCall,
  signal: AbortSignal,
): Promise<FoundOrder | SupplierOutcome> {
  const query = { externalOrderId: call.reference, limit: '100' }
  const exchange = await upstream({ method: 'GET', path: '/orders', query }, signal)
  if (!usable(exchange)) return lost(call, exchange)
  const { answer } = exchange
  const read = readJsonBody(answer)
  if (!read.readable) return unusable(call, answer, read.problem)
  const parsed = v.safeParse(listSchema, read.value, { abortEarly: true })
  if (!parsed.success) return unusable(call, answer, problemOf(parsed.issues[0]))
  const { orders } = parsed.output.data
  // A list of others may be one that was not searched at all, of which ours may be beyond the end.
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

function lost(call: SupplierCall, exchange: Exchange): SupplierOutcome {
  if (!('answer' in exchange)) return unknown(exchange.lost, exchange)
  const { status: httpStatus, retryAfter } = exchange.answer
  return unknown(`HTTP ${httpStatus}`, { httpStatus, retryAfter, raw: quoteBody(call, exchange.answer) })
}
