import type { SupplierCall } from '../adapter.ts'
import { quoteBody } from '../body.ts'
import type { HttpAnswer } from '../exchange.ts'
import { notPlaced, type SupplierOutcome } from '../outcome.ts'
import { errorIn, lost } from './gateway.ts'
import { outOfStock } from './order_request.ts'

/**
 * What an answer that took no order says. Only an error in the API's own form, of a kind after which there is certainly
 * no order, decides anything. A pre-order counts as out of stock: the API sells none as text.
 */
export function readRefusal(call: SupplierCall, answer: HttpAnswer): SupplierOutcome {
  const error = answer.status < 500 ? errorIn(answer) : undefined
  const refuse = (cause: 'balance' | 'credentials' | 'settings', problem: string) =>
    notPlaced(cause, problem, { httpStatus: answer.status, raw: quoteBody(call, answer) })
  switch (error?.kind) {
    case 'ProductUnavailable':
    case 'Preorder':
      return outOfStock(answer.status)
    case 'InsufficientBalance':
    case 'BalanceRequired':
      return refuse('balance', 'our balance there does not suffice')
    case 'Authorization':
      return answer.status === 401 ? refuse('credentials', 'the api key is not accepted') : lost(call, { answer })
    case 'ConstraintViolation': {
      const property = error?.property ?? ''
      // Of another field it may be our reference, which an order there may have.
      if (!/^products\b/.test(property)) return lost(call, { answer })
      if (/(?:qty|price)$/.test(property)) return outOfStock(answer.status)
      return refuse('settings', 'the order is not accepted as it is')
    }
    default:
      return lost(call, { answer })
  }
}
