import type { JsonSchema } from '@valibot/to-json-schema'
import { type ErrorExtras, type ErrorName, errorOf } from '../../http/errors.ts'
import { countedHeaders, type HeaderName, uncountedHeaders } from './headers.ts'
import { schemaRef } from './json_schema.ts'
import type { Reference, Response, Responses } from './types.ts'

/** What the examples of errors say besides their texts. */
const extras: { [name in ErrorName]?: ErrorExtras } = {
  VALIDATION_ERROR: {
    details: [
      { path: 'items[0].quantity', message: 'must be a whole number from 1 to the product’s maxQuantity' },
    ],
  },
  INVALID_CALLBACK_URL: {
    details: [{ path: 'callbackUrl', message: 'callbackUrl must not point to an internal host name' }],
  },
  DELIVERY_DATA_INVALID: {
    details: [{ path: 'items[0].deliveryData.gameUserId', message: 'is required' }],
  },
  INSUFFICIENT_BALANCE: { details: { balance: 12.5, required: 89, currency: 'RUB' } },
  IDEMPOTENCY_KEY_REUSED: {
    details: [{ path: 'items', message: 'differs from the order made with this key' }],
    orderCode: 'ord_4c0d9f6e1b7a42f38e5d2c1b0a998877',
  },
  ORDERED_PRODUCT_NOT_FOUND: { details: [{ path: 'items[0].productId', message: 'no such product' }] },
  PRODUCT_UNAVAILABLE: {
    details: [{ path: 'items[0].productId', message: 'the product is out of stock' }],
  },
  QUANTITY_OUT_OF_RANGE: { details: [{ path: 'items[0].quantity', message: 'must be from 1 to 100' }] },
  PRICE_CHANGED: {
    details: [{ path: 'items[0].maxPrice', message: 'the price is now 89.00', price: 89 }],
  },
  RATE_LIMITED: { retryAfter: 37 },
  TOO_MANY_SAMPLES: { retryAfter: 60 },
  TOO_MANY_SAMPLES_A_MINUTE: { retryAfter: 24 },
  REDELIVERED_RECENTLY: { retryAfter: 41 },
  TOO_MANY_REDELIVERIES: { retryAfter: 24 },
  TOO_MANY_SIMULATIONS: { retryAfter: 60 },
  TOO_MANY_SIMULATIONS_A_MINUTE: { retryAfter: 24 },
}

/** The models of the errors that say more than others. */
const models: { [code: string]: string } = {
  INSUFFICIENT_BALANCE: 'BalanceError',
  IDEMPOTENCY_KEY_REUSED: 'IdempotencyError',
  PRICE_CHANGED: 'PriceError',
  RATE_LIMITED: 'RateLimitError',
}

type Options = { counted?: boolean; headers?: HeaderName[] }

/** The responses of these errors, by status, each with an example of each error. */
export function refusals(names: ErrorName[], options: Options = {}): Responses {
  const statuses = new Set(names.map((name) => errorOf(name).status))
  return Object.fromEntries(
    [...statuses].map((status) => {
      const ofStatus = names.filter((name) => errorOf(name).status === status)
      return [status, refusal(ofStatus, texts(ofStatus), options)]
    }),
  )
}

/** One response for some errors, whatever their statuses. */
export function refusal(
  names: ErrorName[],
  description: string,
  { counted = true, headers = [] }: Options = {},
): Response {
  const examples = names.map((name) => [name, { value: errorOf(name, extras[name]).body }])
  return {
    description,
    headers: counted ? countedHeaders(...headers) : uncountedHeaders(...headers),
    content: {
      'application/json': { schema: anyOf(schemasOf(names)), examples: Object.fromEntries(examples) },
    },
  }
}

/** References to the responses that every request with a key can get, instead of what it asked for. */
export const keyChecks: Responses = { 401: responseRef('Unauthorized'), 403: responseRef('Forbidden') }

/** As `keyChecks`, for requests that change something. */
export const keyChecksOfWrites: Responses = {
  401: responseRef('Unauthorized'),
  403: responseRef('ForbiddenWrite'),
}

/** References to the responses that every request can get which counts against the rate limit. */
export const everywhere: Responses = {
  405: responseRef('MethodNotAllowed'),
  429: responseRef('RateLimited'),
  500: responseRef('InternalError'),
  503: responseRef('Unavailable'),
  default: responseRef('NotServed'),
}

/** Where a named response stands in the document. */
export function responseRef(name: keyof typeof sharedResponses): Reference {
  return { $ref: `#/components/responses/${name}` }
}

const byKey: ErrorName[] = ['STOREFRONT_ACCOUNT', 'PUBLIC_KEY', 'IP_NOT_ALLOWED']

/** The responses that many operations share. */
export const sharedResponses = {
  Unauthorized: refusal(
    ['UNAUTHORIZED'],
    'The key is missing, unknown or deactivated, or has expired; or its account is inactive; or `Origin` is outside its ' +
      'allowlist. All these look the same.',
  ),
  Forbidden: refusal(byKey, 'The key is valid, but not for this.'),
  ForbiddenWrite: refusal(
    [...byKey, 'ORIGIN_NOT_ALLOWED'],
    'The key is valid, but not for this; or `Origin` is on no allowlist, which is found out before anything is counted, ' +
      'so that the rate-limit headers are absent.',
  ),
  ForbiddenOrigin: refusal(['ORIGIN_NOT_ALLOWED'], '`Origin` is on no allowlist.', { counted: false }),
  MethodNotAllowed: refusal(
    ['METHOD_NOT_ALLOWED'],
    'The address does not take the method of the request; `Allow` names those that it takes.',
    { headers: ['Allow'] },
  ),
  RateLimited: refusal(
    ['RATE_LIMITED'],
    'The budget of the client’s address is used up until the window ends; or a quarter of the bodies that the process ' +
      'takes at once are under way from it; or 50 lists of the account wait to be read.',
    { headers: ['Retry-After'] },
  ),
  InternalError: refusal(['INTERNAL'], 'A mistake of ours. The result of the request is not known.'),
  Unavailable: refusal(
    ['UNAVAILABLE'],
    'The database does not answer, too much is under way, or the process is about to end. The result of the request is ' +
      'not known: repeat it, an order with the same key.',
    { counted: false, headers: ['Retry-After'] },
  ),
  NotServed: refusal(
    ['MALFORMED_HTTP', 'NOT_FOUND', 'REQUEST_TIMEOUT', 'BODY_TOO_LARGE', 'HEADERS_TOO_LARGE'],
    'No operation was reached: the request is not well-formed HTTP (400), nothing is at its address (404), it took more ' +
      'than 30 s to arrive or its body came more slowly than 1 KiB/s (408), or it is too large (413, 431). Rate-limit headers come with 404 alone.',
  ),
}

/** A business error with one of these codes. */
function businessErrorOf(codes: string[]): JsonSchema {
  return { allOf: [schemaRef('BusinessError'), { type: 'object', properties: { code: { enum: codes } } }] }
}

function schemasOf(names: ErrorName[]): JsonSchema[] {
  const bodies = names.map((name): object => errorOf(name).body)
  const codes = [...new Set(bodies.flatMap((body) => ('code' in body ? [String(body.code)] : [])))]
  const plain = codes.filter((code) => models[code] === undefined)
  return [
    ...(bodies.some((body) => 'message' in body) ? [schemaRef('AuthenticationError')] : []),
    ...(bodies.some((body) => !('message' in body) && !('code' in body)) ? [schemaRef('OriginError')] : []),
    ...(plain.length > 0 ? [businessErrorOf(plain)] : []),
    ...codes.flatMap((code) => models[code] ?? []).map(schemaRef),
  ]
}

function anyOf(schemas: JsonSchema[]): JsonSchema {
  const [only, ...others] = schemas
  return only !== undefined && others.length === 0 ? only : { anyOf: schemas }
}

function texts(names: ErrorName[]): string {
  return names
    .map((name) => {
      const body: object = errorOf(name).body
      if ('code' in body && 'error' in body) return `\`${body.code}\`: ${body.error}.`
      return 'message' in body ? `${body.message}.` : ''
    })
    .join(' ')
}
