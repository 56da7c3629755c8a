import type { SupplierCall } from '../adapter.ts'
import { answerSchema } from '../answer.ts'
import type { Ask } from '../api.ts'
import { readValue } from '../body.ts'
import type { HttpAnswer } from '../exchange.ts'
import { answered, hold, type SupplierOutcome, unusable } from '../outcome.ts'
import { meanPrice } from '../parts.ts'
import { downloadKeys, type KinguinKey } from './keys.ts'
import type { KinguinOrder } from './order.ts'

const withdrawn = ['RETURNED', 'REFUNDED', 'CANCELED']
const undelivered = ['PENDING', 'PROCESSING', ...withdrawn]

/**
 * The outcome of an order of ours. Its keys can be downloaded once it is final. A pre-order is processing until its
 * release; past the deadline, operators are notified. A canceled or refunded order has failed. Its keys that were
 * delivered and not withdrawn are the delivered part.
 */
export async function settleOrder(
  ask: Ask,
  call: SupplierCall,
  answer: HttpAnswer,
  order: KinguinOrder,
): Promise<SupplierOutcome> {
  if (order.status === 'processing' || (order.status !== 'completed' && isWithoutKeys(order))) {
    return say(call, answer, order, [])
  }
  const statuses = statusesOf(order)
  const isGood = ({ id }: KinguinKey) => id === null || !withdrawn.includes(statuses.get(id) ?? '')
  const keys = await downloadKeys(ask, call, order, isGood)
  if ('outcome' in keys) return keys
  return interpretKeys(call, answer, order, keys.filter(isGood), statuses)
}

function interpretKeys(
  call: SupplierCall,
  answer: HttpAnswer,
  order: KinguinOrder,
  given: KinguinKey[],
  statuses: Map<string, string>,
): SupplierOutcome {
  const statusOf = ({ id }: KinguinKey) => (id === null ? undefined : statuses.get(id))
  const codes = given.filter(({ type }) => type === 'text/plain').map(({ serial }) => serial)
  const about = { supplierOrderId: order.orderId, httpStatus: answer.status, codes }
  if (codes.length < given.length) {
    return hold(`${given.length - codes.length} of ${given.length} keys are no text`, about)
  }
  if (order.status !== 'completed' && given.some((key) => statusOf(key) !== 'DELIVERED')) {
    return hold(`the order is ${order.status}, and it is not said whether its keys are good`, about)
  }
  return say(call, answer, order, codes)
}

function say(call: SupplierCall, answer: HttpAnswer, order: KinguinOrder, codes: string[]): SupplierOutcome {
  const isFailed = order.status === 'canceled' || order.status === 'refunded'
  const said = readValue(answerSchema, {
    status: isFailed ? 'failed' : order.status,
    codes,
    errorCode: isFailed ? 'SUPPLIER_ERROR' : null,
    supplierOrderId: order.orderId,
    unitPrice: meanPrice(order.products.map(({ price, qty }) => ({ price, units: qty }))),
    currency: 'EUR',
  })
  if (said.ok) return answered(said.value, answer.status)
  return unusable(call, answer, said.problem, { mayHoldKeys: true })
}

/** Whether the statuses of the order's keys show that it has no key to download. */
function isWithoutKeys({ products }: KinguinOrder): boolean {
  return products.every(({ keys }) => keys?.every(({ status }) => undelivered.includes(status)) ?? false)
}

function statusesOf({ products }: KinguinOrder): Map<string, string> {
  return new Map(products.flatMap(({ keys }) => (keys ?? []).map(({ id, status }) => [String(id), status])))
}
