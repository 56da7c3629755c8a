import type { SupplierAccess, SupplierCall } from './adapter.ts'
import { type Exchange, type SupplierHttp, urlUnder } from './exchange.ts'
import { notPlaced, type SupplierOutcome, unknown } from './outcome.ts'

/** A request to a supplier's API: a POST where it has a body, else a GET. */
type ApiRequest = {
  path: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: object
  /** The most bytes of the answer that are read; without it, 1 MiB. */
  maxBytes?: number
}

/** Makes requests to one supplier whose API takes our token in `X-Api-Key`. */
export type Api = (request: ApiRequest, signal: AbortSignal) => Promise<Exchange>

/**
 * The API of a supplier; paths begin after `prefix`, which follows the base URL. Returns a technical text if the
 * settings of the supplier make no request.
 */
export function apiAt(http: SupplierHttp, access: SupplierAccess, prefix: string): Api | string {
  const { baseUrl, token, correlation } = access
  const root = urlUnder(baseUrl, `${prefix}/`)
  if (root === undefined) return 'the base URL of the supplier is not usable'
  if (!/^[!-~]+$/.test(token)) return 'the token of the supplier cannot stand in a header'
  return ({ path, query, headers: own, body, maxBytes }, signal) => {
    const url = new URL(`.${path}`, root)
    url.search = new URLSearchParams(query).toString()
    const headers = { ...correlation, accept: 'application/json', 'x-api-key': token, ...own }
    if (body === undefined) return http.request({ method: 'GET', url, headers, ...(maxBytes && { maxBytes }) }, signal)
    const typed = { ...headers, 'content-type': 'application/json' }
    return http.request({ method: 'POST', url, headers: typed, body: JSON.stringify(body) }, signal)
  }
}

type Run = (api: Api, call: SupplierCall, signal: AbortSignal) => Promise<SupplierOutcome>

/** The calls of an adapter. Each call has one deadline for all its requests. */
export function callsOf(http: SupplierHttp, prefix: string, runs: { put: Run; get: Run }) {
  const within =
    (run: Run, refuse: (problem: string) => SupplierOutcome) => async (call: SupplierCall, signal?: AbortSignal) => {
      const api = apiAt(http, call, prefix)
      if (typeof api === 'string') return refuse(api)
      return http.withinDeadline((inTime) => run(api, call, inTime), signal)
    }
  return { put: within(runs.put, (problem) => notPlaced('settings', problem)), get: within(runs.get, unknown) }
}
