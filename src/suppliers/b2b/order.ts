import * as v from 'valibot'
import { inHundredths } from '../../messages/hundredths.ts'
import type { SupplierCall } from '../adapter.ts'
import { answerSchema, codesIn, nothingElse } from '../answer.ts'
import { jsonOf, readAnswer, readValue } from '../body.ts'
import type { HttpAnswer } from '../exchange.ts'
import { answered, foreign, hold, type SupplierOutcome, unusable, withoutCodes } from '../outcome.ts'
import { count, list, meanPrice, number, object, optionalText, text } from '../parts.ts'

/** The code of an order upstream. */
export const orderCode = v.pipe(text, v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the code of an order'))

const itemSchema = object({
  productId: v.nullish(count, null),
  amount: count,
  price: v.nullish(number, null),
  status: text,
  errorCode: optionalText,
  errorMessage: optionalText,
  cdKeys: v.nullish(list(v.looseObject({ code: text }, 'must be an object')), () => []),
})

const statuses = ['pending', 'processing', 'completed', 'failed'] as const
const orderSchema = object({
  code: orderCode,
  externalOrderId: text,
  status: v.picklist(statuses, 'must be pending, processing, completed or failed'),
  currency: optionalText,
  reason: optionalText,
  items: v.pipe(list(itemSchema), v.minLength(1, 'must not be empty'), v.maxLength(1000, 'has more than 1000 items')),
})

type Order = v.InferOutput<typeof orderSchema>

const withOrder = object({ data: orderSchema })

// Some deployments answer an accepted order with its code alone.
const withCode = v.object({
  data: v.union([
    v.object({ code: orderCode, externalOrderId: optionalText }),
    v.object({ orders: v.strictTuple([v.object({ code: orderCode })]), externalOrderId: optionalText }),
  ]),
})

/**
 * Interprets an order of the upstream, as read or as answered to the placing. It must have our reference. An order with
 * other contents than we asked for is held, and so is one with parts that we cannot report to our partner.
 */
export function readOrder(call: SupplierCall, answer: HttpAnswer, isNew = false): SupplierOutcome {
  const read = readAnswer(withOrder, answer)
  return read.ok ? interpretOrder(call, answer, read.value.data, isNew) : unusable(call, answer, read.problem)
}

/**
 * Interprets the answer to an accepted order: the order, or at least its code. A new order that costs more than we
 * allowed is held: the upstream ignores our limit, and an operator has to check it before it gets more orders.
 */
export function readPlacedOrder(call: SupplierCall, answer: HttpAnswer): SupplierOutcome {
  const value = jsonOf(answer)
  const short = readValue(withCode, value)
  if (!short.ok || v.is(withOrder, value)) return readOrder(call, answer, answer.status === 201)
  const { data } = short.value
  if (data.externalOrderId !== null && data.externalOrderId !== call.reference) return foreign(answer)
  return underWay('code' in data ? data.code : data.orders[0].code, answer.status)
}

/** The outcome of an order that is under way. */
export function underWay(code: string, httpStatus: number): SupplierOutcome {
  return answered({ ...nothingElse, status: 'processing', supplierOrderId: code }, httpStatus)
}

/** The upstream product id in a sku; undefined if there is none. */
export function productIdOf(sku: string): number | undefined {
  const id = /^[1-9]\d{0,9}$/.test(sku) ? Number(sku) : Number.POSITIVE_INFINITY
  return id <= 2_147_483_647 ? id : undefined
}

function interpretOrder(call: SupplierCall, answer: HttpAnswer, order: Order, isNew: boolean): SupplierOutcome {
  if (order.externalOrderId !== call.reference) return foreign(answer)
  const isFinal = order.status === 'completed' || order.status === 'failed'
  const failed = order.items.find(({ status }) => status === 'failed')
  const given = order.items.flatMap((item) => item.cdKeys)
  const said = readValue(answerSchema, {
    status: isFinal ? order.status : 'processing',
    codes: given,
    errorCode: failed?.errorCode,
    reason: order.reason ?? failed?.errorMessage,
    supplierOrderId: order.code,
    unitPrice: meanPrice(order.items.map(({ price, amount }) => ({ price, units: amount }))),
    currency: order.currency,
  })
  if (!said.ok) return unusable(call, answer, said.problem, { codes: codesIn(given) })
  const contradiction = isFinal ? contradictionIn(order) : undefined
  if (contradiction !== undefined) return unusable(call, answer, contradiction, { codes: codesIn(given) })
  const outcome = answered(said.value, answer.status)
  const difference = differenceFrom(call, order) ?? (isNew ? overpriceOf(call, order) : undefined)
  // An answer that is held is not quoted, because it may hold codes.
  const about = { ...withoutCodes({ supplierOrderId: order.code }, said.value.codes ?? []), httpStatus: answer.status }
  if (difference !== undefined) return hold(difference, about)
  const codes = 'codes' in outcome ? outcome.codes : []
  const problem = partProblemOf(call, order, codes)
  return problem === undefined ? outcome : hold(problem, { ...about, codes })
}

/** How the status of a final order contradicts those of its items; undefined: it does not. */
function contradictionIn({ status, items }: Order): string | undefined {
  const delivered = amountOf(items, 'completed')
  const ordered = items.reduce((sum, { amount }) => sum + amount, 0)
  if (delivered + amountOf(items, 'failed') !== ordered) return 'the order is final, and an item is not'
  return (status === 'completed') === (delivered === ordered) ? undefined : 'its status contradicts its items'
}

/** Why we cannot report a partly delivered order to our partner; undefined: we can. */
function partProblemOf({ deliversKeys }: SupplierCall, { status, items }: Order, codes: string[]): string | undefined {
  if (status !== 'failed') return undefined
  const delivered = amountOf(items, 'completed')
  if (!deliversKeys) return delivered === 0 ? undefined : 'a part was delivered of what cannot be parted'
  if (codes.length === delivered) return undefined
  return `there are ${codes.length} codes for an amount of ${delivered}`
}

/** How the order differs from the one that we placed; undefined if it does not. */
function differenceFrom(call: SupplierCall, { items, currency }: Order): string | undefined {
  const productId = productIdOf(call.sku)
  // Some deployments do not name the product.
  if (items.some((item) => item.productId !== null && item.productId !== productId)) {
    return 'the order is for another product'
  }
  if (items.reduce((sum, { amount }) => sum + amount, 0) !== call.quantity) {
    return 'the order is for another quantity'
  }
  const known = call.currency !== null && currency !== null
  return known && currency !== call.currency ? 'the order is in another currency' : undefined
}

function overpriceOf({ unitCost }: SupplierCall, { items }: Order): string | undefined {
  const allowed = Number(unitCost ?? 0)
  const isDearer = allowed > 0 && items.some(({ price }) => price !== null && inHundredths(price) > allowed)
  return isDearer ? 'the order costs more than was allowed' : undefined
}

function amountOf(items: Order['items'], wanted: string): number {
  return items.reduce((sum, { status, amount }) => (status === wanted ? sum + amount : sum), 0)
}
