import type { SupplierCall } from '../adapter.ts'
import { unitPrice } from '../answer.ts'
import type { Ask } from '../api.ts'
import { quoteBody, readAnswer } from '../body.ts'
import {
  foreign,
  inconclusive,
  notPlaced,
  refused,
  type SupplierOutcome,
  unanswered,
  unknown,
  unusable,
} from '../outcome.ts'
import { object, optionalText, text } from '../parts.ts'
import { readAccount, tokenProblem } from './account.ts'
import { codes } from './codes.ts'

const content = { ref_id: optionalText, buyer_sku_code: optionalText, customer_no: optionalText }
const transactionSchema = object({ data: object({ status: text, rc: text, price: unitPrice, ...content }) })

/** Makes the transaction of an item, or asks for it by sending it again. */
export async function transact(ask: Ask, call: SupplierCall): Promise<SupplierOutcome> {
  const account = readAccount(call.token)
  if (account === undefined) return notPlaced('settings', tokenProblem)
  const refusal = refusalOf(call)
  if (refusal !== undefined) return refusal
  const wanted = contentOf(call)
  const placing = { maySend: call.maySend, repeatable: true }
  const exchange = await ask({ path: '/transaction', body: { ...account.signed(call.reference), ...wanted }, placing })
  if (!('answer' in exchange)) return unanswered(exchange)
  const { answer } = exchange
  // The API does not say which HTTP status its answers have.
  const read = readAnswer(transactionSchema, answer)
  if (!read.ok && answer.status !== 200) return inconclusive(account, exchange)
  if (!read.ok) return unusable(account, answer, read.problem)
  const { status, rc, price, ...made } = read.value.data
  const known = codes.get(rc)
  if (known?.status !== status) {
    const error = known === undefined ? 'an unknown rc' : `rc ${rc} contradicts its status`
    return unknown(error, { httpStatus: answer.status, raw: quoteBody(account, answer) })
  }
  const outcome = known.meaning({ rc, price, call, httpStatus: answer.status })
  // A refusal that leaves the item open need not name it.
  const isOurs = Object.entries(made).every(
    ([name, value]) => value === wanted[name] || (value === null && outcome.outcome === 'not_placed'),
  )
  return isOurs ? outcome : foreign(answer)
}

/** Why the API cannot deliver an item; undefined: it can. */
function refusalOf({
  quantity,
  recipient,
  unitCost,
  currency,
  deliversKeys,
}: SupplierCall): SupplierOutcome | undefined {
  if (deliversKeys) return notPlaced('settings', 'the supplier delivers no keys')
  if (quantity !== 1) return refused(null, 'OUT_OF_STOCK')
  if (currency !== 'IDR' || !(Number(unitCost) >= 1)) return notPlaced('settings', 'the offer has no cost in IDR')
  if (recipient === null) return notPlaced('settings', 'the offer makes no recipient of the delivery data')
  return undefined
}

function contentOf({ reference, sku, recipient, unitCost }: SupplierCall): { [name: string]: unknown } {
  // Without allow_dot the API removes dots.
  const dots = recipient?.includes('.') && { allow_dot: true }
  const max_price = Math.floor(Number(unitCost))
  return { ref_id: reference, buyer_sku_code: sku, customer_no: recipient, max_price, ...dots }
}
