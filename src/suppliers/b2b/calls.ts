import * as v from 'valibot'
import type { SupplierCall } from '../adapter.ts'
import type { Ask } from '../api.ts'
import { quoteBody, readAnswer, readValue } from '../body.ts'
import type { Exchange, HttpAnswer } from '../exchange.ts'
import { hold, inconclusive, notPlaced, type SupplierOutcome, unanswered, unknown, unusable } from '../outcome.ts'
import { list, object, text } from '../parts.ts'
import { orderCode, productIdOf, readOrder, readPlacedOrder, underWay } from './order.ts'
import { isOtherBody, readRefusal } from './refusal.ts'

type FoundOrder = { code: string; httpStatus: number }

const pageSize = 100
// 2,000 orders. The time of a call ends the search earlier where pages are slow.
const maxPages = 20

const listSchema = object({
  data: object({
    orders: list(v.unknown()),
    pagination: v.nullish(object({ total: v.nullish(v.number('must be a number'), null) }), null),
  }),
})
const entrySchema = object({ code: orderCode, externalOrderId: text })

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

/**
 * Finds the order with our reference. Without one, returns an outcome: `not_received` if there is none. Where the
 * upstream ignores the search and lists other orders as well, they are read page by page, the newest first.
 */
async function findOrder(ask: Ask, call: SupplierCall): Promise<FoundOrder | SupplierOutcome> {
  const seen = new Set<string>()
  let problem: string | undefined
  for (let page = 1; page <= maxPages; page += 1) {
    if (page > 1) await call.pace?.()
    const query = { externalOrderId: call.reference, limit: String(pageSize), ...(page > 1 && { page: String(page) }) }
    const exchange = await ask({ path: '/orders', query })
    if (!usable(exchange)) return inconclusive(call, exchange)
    const { answer } = exchange
    const read = readAnswer(listSchema, answer)
    if (!read.ok) return unusable(call, answer, read.problem)
    const { orders: listed, pagination } = read.value.data
    const known = seen.size
    const entries = listed.map((entry) => readValue(entrySchema, entry))
    const strange = entries.find((entry) => !entry.ok)
    if (strange !== undefined) problem ??= `an order of its list: ${strange.problem}`
    const readable = entries.flatMap((entry) => (entry.ok ? [entry.value] : []))
    const [order, another] = readable.filter(({ externalOrderId }) => externalOrderId === call.reference)
    if (another !== undefined) return hold('several orders have the reference', { httpStatus: answer.status })
    if (order !== undefined) return { code: order.code, httpStatus: answer.status }
    for (const { code } of readable) seen.add(code)
    const isComplete = listed.length === 0 || (pagination?.total ?? Number.POSITIVE_INFINITY) <= seen.size
    // One that cannot be read may be ours.
    if (isComplete) return problem === undefined ? { outcome: 'not_received' } : unusable(call, answer, problem)
    if (seen.size === known) return unusable(call, answer, problem ?? 'it ignores externalOrderId and page')
  }
  return unknown(`the order is not among the newest ${seen.size}, and the list ignores externalOrderId`)
}

function usable(exchange: Exchange): exchange is { answer: HttpAnswer } {
  return 'answer' in exchange && exchange.answer.status === 200
}
