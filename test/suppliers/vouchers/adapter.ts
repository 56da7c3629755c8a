import * as v from 'valibot'
import type { AdapterFactory, SupplierCall } from '../../../src/suppliers/adapter.ts'
import { answerSchema } from '../../../src/suppliers/answer.ts'
import { jsonOf, quoteBody, readAnswer, readValue } from '../../../src/suppliers/body.ts'
import {
  createSupplierHttp,
  type Exchange,
  type HttpAnswer,
  type SupplierRequest,
  urlUnder,
} from '../../../src/suppliers/exchange.ts'
import { answered, notPlaced, type SupplierOutcome, unanswered, unknown } from '../../../src/suppliers/outcome.ts'

const saleSchema = v.object({
  ref: v.string(),
  state: v.picklist(['open', 'sold', 'void'], 'must be open, sold or void'),
  vouchers: v.array(v.string('must be a string'), 'must be an array'),
})
const problemSchema = v.object({ problem: v.string() })
const statuses = { open: 'processing', sold: 'completed', void: 'failed' } as const

/** The protocol `vouchers`, which only the tests have: POST /sales, where a repeat may be a second sale, and GET /sales?ref=. */
export const createVouchersAdapter: AdapterFactory = ({ timeoutMs }) => {
  const http = createSupplierHttp({ timeoutMs })
  const request = (call: SupplierCall, given: Partial<SupplierRequest>, signal?: AbortSignal) => {
    const url = urlUnder(call.baseUrl, '/sales')
    if (url === undefined) return undefined
    if (given.method === 'GET') url.searchParams.set('ref', call.reference)
    const headers = { voucher_key: call.token, ...given.headers }
    return http.withinDeadline((inTime) => http.request({ method: 'GET', url, ...given, headers }, inTime), signal)
  }
  const get = async (call: SupplierCall, signal?: AbortSignal) => {
    const exchange = await request(call, { method: 'GET' }, signal)
    if (exchange === undefined) return unknown('the base URL of the supplier is not usable')
    if ('answer' in exchange && problemIn(exchange.answer) === 'no sale') return { outcome: 'not_received' as const }
    return interpret(call, exchange)
  }
  return {
    capabilities: {
      ...{ repeatSafeSeconds: 0, findsByReference: true, pushes: null, listsOffers: false, requestsPerCall: 2 },
      ...{ asksByRepeating: false, minWaitSeconds: null },
    },
    get,
    put: async (call, signal) => {
      if (call.firstSentAt !== null) {
        const found = await get(call, signal)
        if (found.outcome !== 'not_received') return found
      }
      const body = JSON.stringify({ ref: call.reference, item: call.sku, count: call.quantity })
      const headers = { 'content-type': 'application/json' }
      const placing = { maySend: call.maySend, repeatable: false }
      const exchange = await request(call, { method: 'POST', headers, body, placing }, signal)
      if (exchange === undefined) return notPlaced('settings', 'the base URL of the supplier is not usable')
      if (!('answer' in exchange)) return unanswered(exchange)
      return refusalIn(exchange.answer) ?? interpret(call, exchange)
    },
    close: http.close,
  }
}

/** A refusal that is certain: it is in the supplier's own words. */
function refusalIn(answer: HttpAnswer): SupplierOutcome | undefined {
  const problem = problemIn(answer)
  const nothing = { reference: null, reason: null, supplierOrderId: null, codes: [] }
  if (problem === 'sold out') {
    return answered({ ...nothing, status: 'failed', errorCode: 'OUT_OF_STOCK' }, answer.status)
  }
  if (problem === 'no such item') return notPlaced('settings', problem, { httpStatus: answer.status })
  if (problem === 'bad key') return notPlaced('credentials', problem, { httpStatus: answer.status })
  return undefined
}

function problemIn(answer: HttpAnswer): string | undefined {
  const read = readValue(problemSchema, jsonOf(answer))
  return answer.status >= 400 && answer.status < 500 && read.ok ? read.value.problem : undefined
}

function interpret(call: SupplierCall, exchange: Exchange): SupplierOutcome {
  if (!('answer' in exchange)) return unknown(exchange.lost, exchange)
  const { answer } = exchange
  const { status: httpStatus, retryAfter } = answer
  if (httpStatus !== 200) return unknown(`HTTP ${httpStatus}`, { httpStatus, retryAfter, raw: quoteBody(call, answer) })
  const unusable = (problem: string) => unknown(`the answer is unusable: ${problem}`, { httpStatus })
  const sale = readAnswer(saleSchema, answer)
  if (!sale.ok) return unusable(sale.problem)
  if (sale.value.ref !== call.reference) return unusable('it names another order')
  const { state, vouchers: codes } = sale.value
  const said = readValue(answerSchema, { status: statuses[state], codes })
  return said.ok ? answered(said.value, httpStatus) : unusable(said.problem)
}
