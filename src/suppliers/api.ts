import type {
  AdapterFactory,
  BalanceReading,
  Listing,
  SupplierAccess,
  SupplierAdapter,
  SupplierCall,
} from './adapter.ts'
import { createSupplierHttp, type Exchange, type Placing, type SupplierHttp, unsendable, urlUnder } from './exchange.ts'
import type { SupplierOutcome } from './outcome.ts'

/** A request to a supplier's API: with a body a POST, unless `method` says otherwise; else a GET. */
type ApiRequest = {
  method?: 'POST' | 'PUT'
  path: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: object
  /** The most bytes of the answer that are read; without it, 1 MiB. */
  maxBytes?: number
  /** Present if the request places an order. */
  placing?: Placing
}

/** Makes requests to one supplier. */
type Api = (request: ApiRequest, signal: AbortSignal) => Promise<Exchange>

/** Makes one request of a call, within the call's deadline, or one of a list, at the supplier's pace. */
export type Ask = (request: ApiRequest) => Promise<Exchange>

/** An API: paths begin after `prefix`, which follows the base URL; `authorize` makes the headers with a token. */
type ApiForm = { prefix: string; authorize: (token: string) => Record<string, string> }

/** The header of an API that takes the token as it is. */
export const apiKeyHeader = (token: string) => ({ 'x-api-key': token })

/** The API of a supplier. */
export function apiAt(http: SupplierHttp, access: SupplierAccess, { prefix, authorize }: ApiForm): Api {
  const { baseUrl, token, correlation } = access
  const root = urlUnder(baseUrl, `${prefix}/`)
  return async ({ method = 'POST', path, query, headers: own, body, maxBytes, placing }, signal) => {
    if (root === undefined) return unsendable('the base URL of the supplier is not usable')
    if (!/^[!-~]+$/.test(token)) return unsendable('the token of the supplier cannot stand in a header')
    const url = new URL(`.${path}`, root)
    url.search = new URLSearchParams(query).toString()
    const headers = { ...correlation, accept: 'application/json', ...authorize(token), ...own }
    const limit = maxBytes === undefined ? {} : { maxBytes }
    if (body === undefined) return http.request({ method: 'GET', url, headers, ...limit }, signal)
    const typed = { ...headers, 'content-type': 'application/json' }
    const sent = { method, url, headers: typed, body: JSON.stringify(body), ...limit }
    return http.request({ ...sent, ...(placing && { placing }) }, signal)
  }
}

type Run = (ask: Ask, call: SupplierCall) => Promise<SupplierOutcome>

/** A protocol over such an API. A call has one deadline for all its requests; each request of a list has its own. */
type ApiProtocol = Pick<SupplierAdapter, 'capabilities' | 'readEvent'> &
  ApiForm & {
    put: Run
    get: Run
    list?: (
      ask: Ask,
      skus: readonly string[],
      access: SupplierAccess,
      signal: AbortSignal | undefined,
      skusForTexts: readonly string[],
    ) => Promise<Listing>
    balance?: (ask: Ask, access: SupplierAccess) => Promise<BalanceReading>
  }

/** Makes the adapters of a protocol over such an API. */
export function apiAdapter({ prefix, authorize, put, get, list, balance, ...protocol }: ApiProtocol): AdapterFactory {
  return ({ timeoutMs }) => {
    const http = createSupplierHttp({ timeoutMs })
    const within = (run: Run) => (call: SupplierCall, signal?: AbortSignal) => {
      const api = apiAt(http, call, { prefix, authorize })
      return http.withinDeadline((inTime) => run((request) => api(request, inTime), call), signal)
    }
    const paced = (access: SupplierAccess, signal?: AbortSignal): Ask => {
      const api = apiAt(http, access, { prefix, authorize })
      return async (request) => {
        await access.pace?.()
        return http.withinDeadline((inTime) => api(request, inTime), signal)
      }
    }
    return {
      ...protocol,
      put: within(put),
      get: within(get),
      ...(list && {
        list: (access, skus, signal, skusForTexts = []) =>
          list(paced(access, signal), skus, access, signal, skusForTexts),
      }),
      ...(balance && { balance: (access, signal) => balance(paced(access, signal), access) }),
      close: http.close,
    }
  }
}
