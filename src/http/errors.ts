import type { Context } from './context.ts'
import { jsonLine } from './reply.ts'

/** A field at fault: its place, as `items[0].productId`, and what is wrong with it. */
export type Detail = { path: string; message: string }

/** The fields that an error's body may have besides its text. */
export type ErrorExtras = { details?: unknown; orderCode?: unknown; retryAfter?: number | undefined }

type ErrorRow = { status: number; text: string; code?: string; authentication?: string; bare?: true }

const forbidden = (authentication: string): ErrorRow => ({ status: 403, text: 'Forbidden', authentication })

/**
 * Every error that this API answers with (specification 7). The code is the row's name unless it says otherwise. A row
 * with `authentication` is answered as `{error, message}`, a `bare` one as `{success, error}`, all others as
 * `{success, error, code}` and what they have to add.
 */
const rows = {
  UNAUTHORIZED: { status: 401, text: 'Unauthorized', authentication: 'Invalid or missing API key' },
  BAD_SIGNATURE: { status: 401, text: 'Unauthorized', authentication: 'Invalid or missing signature' },
  DOCS_PASSWORD: { status: 401, text: 'Unauthorized', authentication: 'Invalid or missing password' },
  STOREFRONT_ACCOUNT: forbidden('This endpoint is only available for B2B API partners'),
  PUBLIC_KEY: forbidden('This API key is not authorized for this endpoint'),
  IP_NOT_ALLOWED: forbidden('This API key is not allowed from this IP address'),
  LIVE_ACCOUNT: forbidden('Simulation is only available for test accounts'),
  ORIGIN_NOT_ALLOWED: { status: 403, text: 'Forbidden: Origin not allowed', bare: true },
  RATE_LIMITED: { status: 429, text: 'Too many requests' },
  TOO_MANY_SAMPLES: { status: 429, text: 'Too many samples are still open', code: 'RATE_LIMITED' },
  TOO_MANY_SAMPLES_A_MINUTE: { status: 429, text: 'Too many samples in one minute', code: 'RATE_LIMITED' },
  TOO_MANY_SIMULATIONS: { status: 429, text: 'Too many simulated orders are open', code: 'RATE_LIMITED' },
  TOO_MANY_SIMULATIONS_A_MINUTE: { status: 429, text: 'Too many simulated orders', code: 'RATE_LIMITED' },
  REDELIVERED_RECENTLY: { status: 429, text: 'The event was redelivered within the last minute', code: 'RATE_LIMITED' },
  TOO_MANY_REDELIVERIES: { status: 429, text: 'Too many redeliveries in one minute', code: 'RATE_LIMITED' },

  VALIDATION_ERROR: { status: 400, text: 'The request is invalid' },
  MALFORMED_HTTP: { status: 400, text: 'The request is not well-formed HTTP', code: 'VALIDATION_ERROR' },
  NOT_FOUND: { status: 404, text: 'No such endpoint' },
  UNKNOWN_REFERENCE: { status: 404, text: 'There is no order with this reference', code: 'NOT_FOUND' },
  METHOD_NOT_ALLOWED: { status: 405, text: 'Method not allowed here' },
  REQUEST_TIMEOUT: { status: 408, text: 'The request took too long to arrive' },
  BODY_TOO_LARGE: { status: 413, text: 'The body is larger than 64 KiB' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, text: 'The body must be application/json in UTF-8, not compressed' },
  HEADERS_TOO_LARGE: { status: 431, text: 'The headers are larger than 16 KiB' },
  INTERNAL: { status: 500, text: 'Something went wrong on our side' },
  UNAVAILABLE: { status: 503, text: 'The service cannot answer now, try again shortly' },

  GAME_NOT_FOUND: { status: 404, text: 'There is no such game' },
  PRODUCT_NOT_FOUND: { status: 404, text: 'There is no such product' },
  ORDER_NOT_FOUND: { status: 404, text: 'There is no such order' },
  EVENT_NOT_FOUND: { status: 404, text: 'There is no such event' },
  EVENT_NOT_FINAL: { status: 422, text: 'The event is still on its way' },

  INVALID_CALLBACK_URL: { status: 400, text: 'The callbackUrl is not allowed' },
  IDEMPOTENCY_KEY_REUSED: { status: 409, text: 'idempotency_key_reused_with_different_body' },
  INSUFFICIENT_BALANCE: { status: 402, text: 'Insufficient balance' },
  ORDERED_PRODUCT_NOT_FOUND: { status: 422, text: 'There is no such product', code: 'PRODUCT_NOT_FOUND' },
  DELIVERY_DATA_INVALID: { status: 400, text: 'The deliveryData does not fit the product' },
  PRODUCT_UNAVAILABLE: { status: 422, text: 'The product cannot be ordered now' },
  QUANTITY_OUT_OF_RANGE: { status: 422, text: 'The quantity is outside the limits of the product' },
  NOT_CANCELLABLE: { status: 422, text: 'Nothing of the order can be cancelled: its items may be at their suppliers' },
  SPENDING_LIMIT: { status: 422, text: 'The order exceeds a spending limit' },
  PRICE_CHANGED: { status: 422, text: 'The price is above the given limit' },
} satisfies { [name: string]: ErrorRow }

export type ErrorName = keyof typeof rows

/** The names of all errors. */
export const errorNames = Object.keys(rows) as ErrorName[]

/** The `Retry-After` of an answer, in seconds, where nothing says when a repetition would succeed. */
const retrySeconds = 2

const maxPathLength = 200
const maxDetails = 50

/** The status and the body of an error. */
export function errorOf(name: ErrorName, extras: ErrorExtras = {}): { status: number; body: object } {
  const row: ErrorRow = rows[name]
  const { status, text, code = name, authentication, bare } = row
  if (authentication !== undefined) return { status, body: { error: text, message: authentication } }
  if (bare) return { status, body: { success: false, error: text } }
  return { status, body: { success: false, error: text, code, ...extras } }
}

/** Ends the handling of a request: it is answered with this error. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly error: ErrorName
  readonly extras: ErrorExtras
  constructor(error: ErrorName, extras: ErrorExtras = {}) {
    super(error)
    this.error = error
    this.extras = extras
  }
}

/** A 400 that names the fields at fault. */
export function invalid(details: Detail[]): Refusal {
  return new Refusal('VALIDATION_ERROR', { details })
}

/** Answers a request with an error, and with the headers that go with it. */
export function refuse(ctx: Context, name: ErrorName, extras: ErrorExtras = {}): void {
  const retryAfter = extras.retryAfter ?? (name === 'RATE_LIMITED' ? retrySeconds : undefined)
  const { status, body } = errorOf(name, { ...boundDetails(extras), retryAfter })
  if (name === 'NOT_FOUND') Object.assign(body, { error: noSuchEndpoint(ctx) })
  if ('code' in body) Object.assign(body, { requestId: ctx.state.requestId })
  // Neither answer counts a request for sure, so neither says what is left of the budget.
  if (name === 'UNAVAILABLE' || name === 'REQUEST_TIMEOUT') removeBudget(ctx)
  if (name === 'REQUEST_TIMEOUT') ctx.set('Connection', 'close')
  if (name === 'UNAVAILABLE') ctx.set('Retry-After', String(retrySeconds))
  if (retryAfter !== undefined) ctx.set('Retry-After', String(retryAfter))
  ctx.status = status
  ctx.type = 'application/json'
  ctx.body = jsonLine(JSON.stringify(body))
}

function removeBudget(ctx: Context): void {
  for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']) ctx.remove(name)
}

// The path without its query, which may contain a key.
function noSuchEndpoint({ method, path }: Context): string {
  return `No such endpoint: ${method} ${path.slice(0, maxPathLength)}`
}

/** Of more than 50 details, the first 49 and an entry that says how many more there are. */
function boundDetails(extras: ErrorExtras): ErrorExtras {
  const { details } = extras
  if (!Array.isArray(details) || details.length <= maxDetails) return extras
  const shown = details.slice(0, maxDetails - 1)
  const rest = { path: '', message: `and ${details.length - shown.length} more` }
  return { ...extras, details: [...shown, rest] }
}
