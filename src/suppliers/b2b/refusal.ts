import * as v from 'valibot'
import type { SupplierCall } from '../adapter.ts'
import { jsonOf, quoteBody } from '../body.ts'
import type { HttpAnswer } from '../exchange.ts'
import { notPlaced, refused, type SupplierOutcome, unknown } from '../outcome.ts'

const refusal = v.object({ success: v.literal(false), error: v.string(), code: v.string() })
const balanceRefusal = v.object({
  success: v.literal(false),
  error: v.pipe(v.string(), v.includes('Insufficient balance')),
})
const keyRefusal = v.object({ error: v.picklist(['Unauthorized', 'Forbidden']), message: v.string() })

// The upstream does not have the product at the known cost. Another supplier may have it.
const unavailable = ['PRODUCT_UNAVAILABLE', 'PRODUCT_NOT_FOUND', 'QUANTITY_OUT_OF_RANGE', 'PRICE_CHANGED']
const wrongData = 'Данные для доставки указаны неверно. Проверьте их и оформите заказ заново.'
// A service of the family refuses a request with these statuses before it does anything.
const refusing = [400, 404, 405, 413, 415, 422]

/**
 * The outcome of an upstream's answer that does not accept an order.
 *
 * A refusal charges nothing. It must have the body of this family of services: the same status from a proxy says
 * nothing about the order. A 429 is always sent before the order is placed. Everything else is unknown, above all a 5xx
 * and a 409 (`isOtherBody` says what a 409 means).
 */
export function readRefusal(call: SupplierCall, answer: HttpAnswer): SupplierOutcome {
  const { status, retryAfter } = answer
  const details = { httpStatus: status, retryAfter, raw: quoteBody(call, answer) }
  const body = jsonOf(answer)
  const said = v.safeParse(refusal, body)
  const code = said.success ? said.output.code : undefined
  const error = code === undefined ? `HTTP ${status}` : `HTTP ${status} ${plain(code)}`
  if (status === 429) return notPlaced('busy', error, details)
  if (status === 402 && v.is(balanceRefusal, body)) return notPlaced('balance', error, details)
  if ((status === 401 || status === 403) && v.is(keyRefusal, body)) {
    return notPlaced('credentials', error, details)
  }
  if (code === undefined || !refusing.includes(status)) return unknown(error, details)
  if (status === 400 && code === 'DELIVERY_DATA_INVALID') return refused(status, code, wrongData)
  if (status !== 422) return notPlaced('settings', error, details)
  if (unavailable.includes(code)) return refused(status, 'OUT_OF_STOCK')
  // If the order was sent before, an unknown reason may mean that the upstream already has it.
  return call.firstSentAt === null ? refused(status, 'SUPPLIER_ERROR') : unknown(error, details)
}

/** Whether a 409 says that the reference is bound to an order with another body. */
export function isOtherBody(answer: HttpAnswer): boolean {
  return answer.status === 409 && new TextDecoder().decode(answer.body).includes('different_body')
}

/** A code that is safe in a technical text. */
function plain(code: string): string {
  return /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : 'with an unknown code'
}
