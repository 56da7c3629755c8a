import * as v from 'valibot'
import type { SupplierCall } from '../adapter.ts'
import { answerSchema, nothingElse } from '../answer.ts'
import type { Ask } from '../api.ts'
import { jsonOf, quoteBody, readAnswer, readValue } from '../body.ts'
import type { HttpAnswer } from '../exchange.ts'
import {
  answered,
  foreign,
  hold,
  inconclusive,
  notPlaced,
  refused,
  type SupplierOutcome,
  unanswered,
  unusable,
} from '../outcome.ts'
import { count, list, number, object, optionalText, text } from '../parts.ts'
import { type Account, readAccount, readSku, tokenProblem } from './account.ts'

const statuses = {
  ...{ Created: 'processing', Processing: 'processing', Pending: 'processing' },
  ...{ Succeeded: 'completed', Failed: 'failed', PartialFailed: 'failed' },
} as const
const cardSchema = object({
  ...{ status: text, cardCode: optionalText, pin: optionalText, serialNumber: optionalText },
  expirationDate: optionalText,
})
const itemSchema = object({
  ...{ productId: count, productFaceValue: number, quantity: count },
  cards: v.nullish(list(cardSchema), () => []),
})
const orderSchema = object({
  orderId: v.nullish(number, null),
  requestId: text,
  status: v.picklist(Object.keys(statuses) as (keyof typeof statuses)[], 'is none that the API names'),
  items: v.pipe(list(itemSchema), v.minLength(1, 'must not be empty')),
})
type Order = v.InferOutput<typeof orderSchema>

// The members that an error can have its reason in: only the reasons themselves are documented.
const reasonSchema = v.object({
  message: optionalText,
  reasonCode: optionalText,
  code: optionalText,
  error: optionalText,
})
const refusals = new Map<string | undefined, Parameters<typeof notPlaced>[0] | 'OUT_OF_STOCK'>([
  ...(['ProductIsOutOfStock', 'CardsLimitExceeded'] as const).map((reason) => [reason, 'OUT_OF_STOCK'] as const),
  ['InsufficientBalance', 'balance'],
  ['UserNotEnabled', 'credentials'],
  ...[
    ...['WrongAccount', 'InvalidProductIds', 'InvalidProduct', 'InvalidDenomination', 'NoProducts'],
    ...['ClientCatalogNotExist', 'ClientPriceInvalid'],
  ].map((reason) => [reason, 'settings'] as const),
])
const aboutOrders = ['OrderAlreadyExists', 'OrderNotFound']
const byStatus = new Map<number, 'credentials' | 'busy'>([
  [401, 'credentials'],
  [403, 'credentials'],
  [429, 'busy'],
])

/** Places the order of an item. First looks for one that was sent before. */
export async function placeOrder(ask: Ask, call: SupplierCall): Promise<SupplierOutcome> {
  const account = readAccount(call.token)
  const sku = readSku(call.sku)
  if (account === undefined) return notPlaced('settings', tokenProblem)
  if (!call.deliversKeys) return notPlaced('settings', 'the supplier has nothing but cards')
  if (sku === undefined) return notPlaced('settings', 'the sku has not the form productId/faceValue')
  // guard: an order of cards that was sent is looked for first
  if (call.firstSentAt !== null) {
    const found = await askForOrder(ask, call)
    if (found.outcome !== 'not_received') return found
  }
  const { reference, quantity } = call
  const exchange = await ask({
    path: '/v1.0/orders/checkout',
    body: {
      ...{ RequestId: reference, AccountId: account.accountId },
      Products: [{ ProductId: sku.productId, Quantity: quantity, Value: sku.faceValue }],
    },
    placing: { maySend: call.maySend, repeatable: false },
  })
  if (!('answer' in exchange)) return unanswered(exchange)
  const { answer } = exchange
  // An order that exists with our reference is ours: the reference is a UUID.
  if (answer.status !== 200 && reasonIn(answer) !== 'OrderAlreadyExists') return readRefusal(account, answer)
  if (answer.status === 200) {
    // It answers with the reference alone.
    const said = jsonOf(answer)
    const named = typeof said === 'string' ? said : Object(said).requestId
    if (typeof named !== 'string') return unusable(account, answer, 'it names no order')
    if (!isOurs(named, call)) return foreign(answer)
  }
  const found = await askForOrder(ask, call)
  const isUnanswered = found.outcome === 'unknown' && found.httpStatus === null
  const isUnderWay = isUnanswered || found.outcome === 'not_received'
  return isUnderWay ? answered({ ...nothingElse, status: 'processing' }, answer.status) : found
}

/** Asks for the order with our reference. */
export async function askForOrder(ask: Ask, call: SupplierCall): Promise<SupplierOutcome> {
  const account = readAccount(call.token)
  const exchange = await ask({ path: `/v1.0/orders/${encodeURIComponent(call.reference)}` })
  if (!('answer' in exchange)) return inconclusive(call, exchange)
  const { answer } = exchange
  if (reasonIn(answer) === 'OrderNotFound') return { outcome: 'not_received' }
  if (answer.status !== 200) return inconclusive(account ?? call, exchange, reasonIn(answer))
  const read = readAnswer(orderSchema, answer)
  if (!read.ok) return unusable(call, answer, read.problem, { mayHoldKeys: true })
  return isOurs(read.value.requestId, call) ? interpret(call, answer, read.value) : foreign(answer)
}

function readRefusal(account: Account, answer: HttpAnswer): SupplierOutcome {
  const { status: httpStatus, retryAfter } = answer
  const reason = reasonIn(answer)
  const cause = refusals.get(reason) ?? byStatus.get(httpStatus)
  if (cause === undefined) return inconclusive(account, { answer }, reason)
  if (cause === 'OUT_OF_STOCK') return refused(httpStatus, cause)
  const raw = cause === 'settings' ? quoteBody(account, answer) : null
  return notPlaced(cause, reason ?? `HTTP ${httpStatus}`, { httpStatus, retryAfter, raw })
}

function interpret(call: SupplierCall, { status: httpStatus }: HttpAnswer, order: Order): SupplierOutcome {
  const sku = readSku(call.sku)
  const isForItem =
    order.items.every((item) => item.productId === sku?.productId && item.productFaceValue === sku.faceValue) &&
    order.items.reduce((sum, { quantity }) => sum + quantity, 0) === call.quantity
  const cards = order.items.flatMap((item) => item.cards)
  const sold = cards.filter((card) => card.status === 'Sold')
  const status = statuses[order.status]
  const about = { supplierOrderId: order.orderId === null ? null : String(order.orderId), httpStatus }
  if (!isForItem) return hold('the order there is for another product, face value or quantity', about)
  const errorCode = status === 'failed' ? 'SUPPLIER_ERROR' : null
  const said = readValue(answerSchema, { status, codes: sold.map(codeOf), errorCode, ...about })
  if (!said.ok) return hold(`its cards make no sense: ${said.problem}`, about)
  const outcome = answered(said.value, httpStatus)
  const isClear = order.status === 'Failed' ? sold.length === 0 : status !== 'completed' || sold.length === cards.length
  if (isClear || !('codes' in outcome)) return outcome
  return hold(`the order is ${order.status}, and ${sold.length} of ${cards.length} cards are sold`, {
    ...{ ...about, codes: outcome.codes },
  })
}

/** The code of a card, with its parts where it has any. A blank part is none, and an end in the year 1 is none. */
function codeOf({ cardCode, pin, serialNumber, expirationDate }: v.InferOutput<typeof cardSchema>): unknown {
  const end = expirationDate?.startsWith('0001-') ? null : expirationDate
  const given = Object.entries({ pin, serial: serialNumber, expiresAt: end }).filter(([, part]) => part?.trim())
  return given.length === 0 ? cardCode : { code: cardCode, ...Object.fromEntries(given) }
}

function isOurs(named: string, { reference }: SupplierCall): boolean {
  return named.toLowerCase() === reference.toLowerCase()
}

/** The reason in an error, one that we know before any other; undefined where it has none that is a plain name. */
function reasonIn(answer: HttpAnswer): string | undefined {
  const read = readValue(reasonSchema, jsonOf(answer))
  if (!read.ok || answer.status < 400 || answer.status >= 500) return undefined
  const reasons = Object.values(read.value)
    .map(String)
    .filter((reason) => /^[A-Z][A-Za-z]{2,40}$/.test(reason))
  return reasons.find((reason) => refusals.has(reason) || aboutOrders.includes(reason)) ?? reasons[0]
}
