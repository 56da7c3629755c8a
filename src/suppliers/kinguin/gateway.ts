import * as v from 'valibot'
import type { SupplierAccess, SupplierCall } from '../adapter.ts'
import { quoteBody, readJsonBody } from '../body.ts'
import { type Exchange, type HttpAnswer, type SupplierHttp, urlUnder } from '../exchange.ts'
import { type SupplierOutcome, unknown } from '../outcome.ts'

/** A request to the API, by its path under the base URL. */
type GatewayRequest = {
  path: string
  query?: Record<string, string>
  order?: object
  /** The most bytes of the answer that are read; without it, 1 MiB. */
  maxBytes?: number
}

/** Makes a request to the API of a supplier: a POST where it has an order, else a GET. */
export type Gateway = (request: GatewayRequest, signal: AbortSignal) => Promise<Exchange>

/** An error as the API tells it; `property` is the path of the field at fault. */
export type GatewayError = { kind: string; property: string | null }

const errorSchema = v.object({
  kind: v.pipe(v.string(), v.regex(/^[A-Za-z]{1,64}$/)),
  propertyPath: v.nullish(v.string(), null),
})

/** The API at a supplier's base URL; undefined where that is none. */
export function gatewayAt(http: SupplierHttp, { baseUrl, token }: SupplierAccess): Gateway | undefined {
  if (urlUnder(baseUrl, '/') === undefined) return undefined
  return async ({ path, query, order, maxBytes }, signal) => {
    const url = urlUnder(baseUrl, path) ?? new URL(baseUrl)
    url.search = new URLSearchParams(query).toString()
    const headers = { accept: 'application/json', 'x-api-key': token }
    if (order === undefined) {
      return http.request({ method: 'GET', url, headers, ...(maxBytes && { maxBytes }) }, signal)
    }
    const body = JSON.stringify(order)
    return http.request(
      { method: 'POST', url, headers: { ...headers, 'content-type': 'application/json' }, body },
      signal,
    )
  }
}

/** The error that an answer tells; undefined where it tells none in the API's own form. */
export function errorIn(answer: HttpAnswer): GatewayError | undefined {
  const read = readJsonBody(answer)
  const parsed = v.safeParse(errorSchema, read.readable ? read.value : null)
  if (!parsed.success || answer.status < 400) return undefined
  return { kind: parsed.output.kind, property: parsed.output.propertyPath }
}

/** The outcome of an exchange that says nothing of the order. */
export function lost(call: SupplierCall, exchange: Exchange): SupplierOutcome {
  if (!('answer' in exchange)) return unknown(exchange.lost, exchange)
  const { status: httpStatus, retryAfter } = exchange.answer
  const kind = errorIn(exchange.answer)?.kind
  const error = kind === undefined ? `HTTP ${httpStatus}` : `HTTP ${httpStatus}: ${kind}`
  return unknown(error, { httpStatus, retryAfter, raw: quoteBody(call, exchange.answer) })
}
