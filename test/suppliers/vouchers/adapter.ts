import * as v from 'valibot'
import type { SupplierCall } from '../../../src/suppliers/adapter.ts'
import { answerSchema } from '../../../src/suppliers/answer.ts'
import { type Ask, apiAdapter } from '../../../src/suppliers/api.ts'
import { jsonOf, readAnswer, readValue } from '../../../src/suppliers/body.ts'
import type { Exchange, HttpAnswer } from '../../../src/suppliers/exchange.ts'
import {
  answered,
  foreign,
  inconclusive,
  notPlaced,
  refused,
  type SupplierOutcome,
  unanswered,
  unusable,
} from '../../../src/suppliers/outcome.ts'

const saleSchema = v.object({
  ref: v.string(),
  state: v.picklist(['open', 'sold', 'void'], 'must be open, sold or void'),
  vouchers: v.array(v.string('must be a string'), 'must be an array'),
})
const statuses = { open: 'processing', sold: 'completed', void: 'failed' } as const

/** The protocol `vouchers`, which only the tests have: POST /sales, where a repeat may be a second sale, and GET /sales?ref=. */
export const createVouchersAdapter = apiAdapter({
  prefix: '',
  authorize: (token) => ({ voucher_key: token }),
  capabilities: {
    ...{ repeatSafeSeconds: 0, findsByReference: true, pushes: null, listsOffers: false, requestsPerCall: 2 },
    ...{ asksByRepeating: false, minWaitSeconds: null, reportsBalance: false },
  },
  get,
  put: async (ask, call) => {
    if (call.firstSentAt !== null) {
      const found = await get(ask, call)
      if (found.outcome !== 'not_received') return found
    }
    const body = { ref: call.reference, item: call.sku, count: call.quantity }
    const exchange = await ask({ path: '/sales', body, placing: { maySend: call.maySend, repeatable: false } })
    if (!('answer' in exchange)) return unanswered(exchange)
    const { status: httpStatus } = exchange.answer
    const problem = problemIn(exchange.answer)
    // A refusal in the supplier's own words is certain.
    if (problem === 'sold out') return refused(httpStatus, 'OUT_OF_STOCK')
    if (problem === 'no such item') return notPlaced('settings', problem, { httpStatus })
    if (problem === 'bad key') return notPlaced('credentials', problem, { httpStatus })
    return interpret(call, exchange)
  },
})

async function get(ask: Ask, call: SupplierCall): Promise<SupplierOutcome> {
  const exchange = await ask({ path: '/sales', query: { ref: call.reference } })
  const isMissing = 'answer' in exchange && problemIn(exchange.answer) === 'no sale'
  return isMissing ? { outcome: 'not_received' } : interpret(call, exchange)
}

function problemIn(answer: HttpAnswer): unknown {
  return answer.status >= 400 && answer.status < 500 ? Object(jsonOf(answer)).problem : undefined
}

function interpret(call: SupplierCall, exchange: Exchange): SupplierOutcome {
  if (!('answer' in exchange) || exchange.answer.status !== 200) return inconclusive(call, exchange)
  const { answer } = exchange
  const sale = readAnswer(saleSchema, answer)
  if (!sale.ok) return unusable(call, answer, sale.problem, { mayHoldKeys: true })
  if (sale.value.ref !== call.reference) return foreign(answer)
  const { state, vouchers: codes } = sale.value
  const said = readValue(answerSchema, { status: statuses[state], codes })
  return said.ok ? answered(said.value, answer.status) : unusable(call, answer, said.problem, { mayHoldKeys: true })
}
