import type { AdapterFactory, BalanceReading, SupplierAccess, SupplierCall } from '../adapter.ts'
import { balanceSchema, readBalance } from '../balance.ts'
import { createSupplierHttp, type SupplierHttp, type SupplierRequest, unsendable, urlUnder } from '../exchange.ts'
import { interpretAnswer, type SupplierOutcome, unanswered, unknown } from '../outcome.ts'

type Method = 'PUT' | 'GET'

/** The protocol `http`: PUT and GET {base}/orders/{reference} with a bearer token. */
export const createHttpAdapter: AdapterFactory = ({ timeoutMs }) => {
  const http = createSupplierHttp({ timeoutMs })
  const ask = (method: Method) => (call: SupplierCall, signal?: AbortSignal) => askSupplier(http, method, call, signal)
  return {
    capabilities: {
      repeatSafeSeconds: null,
      findsByReference: true,
      pushes: 'results',
      listsOffers: false,
      requestsPerCall: 1,
      asksByRepeating: false,
      minWaitSeconds: null,
      reportsBalance: true,
    },
    put: ask('PUT'),
    get: ask('GET'),
    balance: (access, signal) => askForBalance(http, access, signal),
    close: http.close,
  }
}

async function askSupplier(
  http: SupplierHttp,
  method: Method,
  call: SupplierCall,
  signal: AbortSignal | undefined,
): Promise<SupplierOutcome> {
  const url = urlUnder(call.baseUrl, `/orders/${encodeURIComponent(call.reference)}`)
  const exchange =
    url === undefined
      ? unsendable('the base URL of the supplier is not usable')
      : await http.withinDeadline((inTime) => http.request(requestFor(url, method, call), inTime), signal)
  if ('answer' in exchange) {
    return interpretAnswer({ method, reference: call.reference, token: call.token }, exchange.answer)
  }
  return method === 'PUT' ? unanswered(exchange) : unknown(exchange.lost, exchange)
}

async function askForBalance(
  http: SupplierHttp,
  access: SupplierAccess,
  signal: AbortSignal | undefined,
): Promise<BalanceReading> {
  const url = urlUnder(access.baseUrl, '/balance')
  if (url === undefined) return { ok: false, error: 'the base URL of the supplier is not usable' }
  await access.pace?.()
  const headers = { accept: 'application/json', authorization: `Bearer ${access.token}` }
  const exchange = await http.withinDeadline((inTime) => http.request({ method: 'GET', url, headers }, inTime), signal)
  const reading = readBalance(exchange, balanceSchema)
  // Not every supplier of this protocol reports a balance.
  const reportsNone = !reading.ok && reading.httpStatus === 404
  return reportsNone ? { ok: true, balance: null, currency: null } : reading
}

function requestFor(url: URL, method: Method, call: SupplierCall): SupplierRequest {
  const headers = { ...call.correlation, accept: 'application/json', authorization: `Bearer ${call.token}` }
  const { reference, sku, quantity, deliveryData } = call
  if (method === 'GET') return { method, url, headers }
  return {
    method,
    url,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ reference, sku, quantity, deliveryData }),
    placing: { maySend: call.maySend, repeatable: true },
  }
}
