import * as v from 'valibot'
import type { SupplierCall } from '../adapter.ts'
import { jsonOf, quoteBody, readValue } from '../body.ts'
import type { Exchange, HttpAnswer } from '../exchange.ts'
import { inconclusive, notPlaced, refused, type SupplierOutcome } from '../outcome.ts'

/** An error in the form of the API; `property` is the path of the field at fault. */
type KinguinError = { kind: string; property: string | null }

const errorSchema = v.object({
  kind: v.pipe(v.string(), v.regex(/^[A-Za-z]{1,64}$/)),
  propertyPath: v.nullish(v.string(), null),
})

/** The error in an answer; undefined if there is none in the form of the API. */
export function errorIn(answer: HttpAnswer): KinguinError | undefined {
  const read = readValue(errorSchema, jsonOf(answer))
  if (!read.ok || answer.status < 400) return undefined
  return { kind: read.value.kind, property: read.value.propertyPath }
}

/** The outcome of an exchange that says nothing about the order. */
export function lost(call: SupplierCall, exchange: Exchange): SupplierOutcome {
  return inconclusive(call, exchange, 'answer' in exchange ? errorIn(exchange.answer)?.kind : undefined)
}

/**
 * The outcome of an answer that refused an order. Only an error in the form of the API, of a kind that certainly leaves
 * no order, is a refusal. A pre-order counts as out of stock: the API sells none as text.
 */
export function readRefusal(call: SupplierCall, answer: HttpAnswer): SupplierOutcome {
  const error = answer.status < 500 ? errorIn(answer) : undefined
  const refuse = (cause: 'balance' | 'credentials' | 'settings', problem: string) =>
    notPlaced(cause, problem, { httpStatus: answer.status, raw: quoteBody(call, answer) })
  switch (error?.kind) {
    case 'ProductUnavailable':
    case 'Preorder':
      return refused(answer.status, 'OUT_OF_STOCK')
    case 'InsufficientBalance':
    case 'BalanceRequired':
      return refuse('balance', 'our balance there does not suffice')
    case 'Authorization':
      return answer.status === 401 ? refuse('credentials', 'the api key is not accepted') : lost(call, { answer })
    case 'ConstraintViolation': {
      const property = error?.property ?? ''
      // An error of another field may be about our reference, which an order there may have.
      if (!/^products\b/.test(property)) return lost(call, { answer })
      if (/(?:qty|price)$/.test(property)) return refused(answer.status, 'OUT_OF_STOCK')
      return refuse('settings', 'the order is not accepted as it is')
    }
    default:
      return lost(call, { answer })
  }
}
