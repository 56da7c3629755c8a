import type { SupplierAccess } from '../adapter.ts'
import { type Exchange, type SupplierHttp, urlUnder } from '../exchange.ts'

/** An order as the upstream takes it. */
export type UpstreamOrder = { externalOrderId: string; items: object[]; callbackUrl?: string }

/** What is asked of an upstream; `path` begins after its `/b2b`. An order is placed under its own idempotency key. */
type UpstreamRequest =
  | { method: 'GET'; path: string; query?: Record<string, string> }
  | { method: 'POST'; path: string; order: UpstreamOrder }

/** Makes one request to an upstream with our api key there. */
export type Upstream = (request: UpstreamRequest, signal: AbortSignal) => Promise<Exchange>

/**
 * An upstream as it is to be reached: its base URL is its root, and a path in that comes before `/b2b`. Where its
 * settings make no request, returns why, in technical terms.
 */
export function upstreamAt(http: SupplierHttp, access: SupplierAccess): Upstream | string {
  const { baseUrl, token, correlation } = access
  const root = urlUnder(baseUrl, '/b2b')
  if (root === undefined) return 'the base URL of the supplier is not usable'
  if (!/^[!-~]+$/.test(token)) return 'the token of the supplier cannot stand in a header'
  return (request, signal) => {
    const { method, path } = request
    const url = new URL(`${root.pathname}${path}`, root.origin)
    const headers = { ...correlation, accept: 'application/json', 'x-api-key': token }
    if (request.method === 'GET') {
      url.search = new URLSearchParams(request.query).toString()
      return http.request({ method, url, headers }, signal)
    }
    const { order } = request
    const about = { 'content-type': 'application/json', 'x-idempotency-key': order.externalOrderId }
    return http.request({ method, url, headers: { ...headers, ...about }, body: JSON.stringify(order) }, signal)
  }
}
