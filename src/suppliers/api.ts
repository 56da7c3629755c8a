import type { AdapterFactory, Listing, SupplierAccess, SupplierAdapter, SupplierCall } from './adapter.ts'
import { createSupplierHttp, type Exchange, type SupplierHttp, urlUnder } from './exchange.ts'
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

/** Makes one request of a list, at the supplier's pace and with a deadline of its own. */
export type Ask = (request: ApiRequest) => Promise<Exchange>

/** A protocol over such an API. Each call has one deadline for all its requests. */
type ApiProtocol = Pick<SupplierAdapter, 'capabilities' | 'readEvent'> & {
  prefix: string
  put: Run
  get: Run
  list: (ask: Ask, skus: readonly string[], signal: AbortSignal | undefined) => Promise<Listing>
}

/** Makes the adapters of a protocol over such an API. */
export function apiAdapter({ prefix, put, get, list, ...protocol }: ApiProtocol): AdapterFactory {
  return ({ timeoutMs }) => {
    const http = createSupplierHttp({ timeoutMs })
    const within =
      (run: Run, refuse: (problem: string) => SupplierOutcome) => async (call: SupplierCall, signal?: AbortSignal) => {
        const api = apiAt(http, call, prefix)
        if (typeof api === 'string') return refuse(api)
        return http.withinDeadline((inTime) => run(api, call, inTime), signal)
      }
    return {
      ...protocol,
      put: within(put, (problem) => notPlaced('settings', problem)),
      get: within(get, unknown),
      list: async (access, skus, signal) => {
        const api = apiAt(http, access, prefix)
        if (typeof api === 'string') return { ok: false, error: api }
        const ask: Ask = async (request) => {
          await access.pace?.()
          return http.withinDeadline((inTime) => api(request, inTime), signal)
        }
        return list(ask, skus, signal)
      },
      close: http.close,
    }
  }
}
