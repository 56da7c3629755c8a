import type { JsonSchema } from '@valibot/to-json-schema'
import { type ErrorExtras, type ErrorName, errorOf } from '../../http/errors.ts'
import { countedHeaders, type HeaderName, uncountedHeaders } from './headers.ts'
import { schemaRef } from './json_schema.ts'
import type { Reference, Response, Responses } from './types.ts'

/** The fields of the examples of errors, besides their texts. */
const extras: { [name in ErrorName]?: ErrorExtras } = {
  VALIDATION_ERROR: {
    details: [{ path: 'items[0].quantity', message: 'must be a whole number from 1 to the product’s maxQuantity' }],
  },
  INVALID_CALLBACK_URL: {
    details: [{ path: 'callbackUrl', message: 'callbackUrl must not point to an internal host name' }],
  },
  DELIVERY_DATA_INVALID: { details: [{ path: 'items[0].deliveryData.gameUserId', message: 'is required' }] },
  INSUFFICIENT_BALANCE: { details: { balance: 12.5, required: 89, currency: 'RUB' } },
  SPENDING_LIMIT: {
    details: {
      ...{ limit: 50_000, spent: 49_950, required: 89, per: 'day', scope: 'key' },
      ...{ resetsAt: '2026-03-03T00:00:00.000Z', currency: 'RUB' },
    },
  },
  IDEMPOTENCY_KEY_REUSED: {
    details: [{ path: 'items', message: 'differs from the order made with this key' }],
    orderCode: 'ord_4c0d9f6e1b7a42f38e5d2c1b0a998877',
  },
  ORDERED_PRODUCT_NOT_FOUND: { details: [{ path: 'items[0].productId', message: 'no such product' }] },
  PRODUCT_UNAVAILABLE: { details: [{ path: 'items[0].productId', message: 'the product is out of stock' }] },
  QUANTITY_OUT_OF_RANGE: { details: [{ path: 'items[0].quantity', message: 'must be from 1 to 100' }] },
  PRICE_CHANGED: { details: [{ path: 'items[0].maxPrice', message: 'the price is now 89.00', price: 89 }] },
}

function extrasOf(name: ErrorName): ErrorExtras | undefined {
  return errorOf(name).status === 429 ? { retryAfter: 37 } : extras[name]
}

/** The models of the errors with fields of their own. */
const models: { [code: string]: string } = {
  INSUFFICIENT_BALANCE: 'BalanceError',
  SPENDING_LIMIT: 'LimitError',
  IDEMPOTENCY_KEY_REUSED: 'IdempotencyError',
  PRICE_CHANGED: 'PriceError',
  RATE_LIMITED: 'RateLimitError',
}

type Options = { counted?: boolean; headers?: HeaderName[] }

/** The responses of some errors by status, with an example of each error. A 429 includes the common one. */
export function refusals(names: ErrorName[], options: Options = {}): Responses {
  const statuses = new Set(names.map((name) => errorOf(name).status))
  return Object.fromEntries(
    [...statuses].map((status) => {
      const ofStatus = names.filter((name) => errorOf(name).status === status)
      if (status !== 429) return [status, refusal(ofStatus, texts(ofStatus), options)]
      const description = `${budgetUsed}, or: ${texts(ofStatus)}`
      return [status, refusal(['RATE_LIMITED', ...ofStatus], description, { headers: ['Retry-After'] })]
    }),
  )
}

/** One response for some errors, whatever their statuses. */
function refusal(names: ErrorName[], description: string, { counted = true, headers = [] }: Options = {}): Response {
  const examples = names.map((name) => [name, { value: errorOf(name, extrasOf(name)).body }])
  return {
    description,
    headers: counted ? countedHeaders(...headers) : uncountedHeaders(...headers),
    content: { 'application/json': { schema: anyOf(schemasOf(names)), examples: Object.fromEntries(examples) } },
  }
}

/** References to the refusals that operations share; a health check has only those of its own `errors`. */
export function commonResponses(ofHealthCheck?: readonly ErrorName[]): Responses {
  return {
    405: responseRef('MethodNotAllowed'),
    default: responseRef('NotServed'),
    ...(ofHealthCheck === undefined && { 429: responseRef('RateLimited') }),
    ...(ofHealthCheck?.length !== 0 && { 500: responseRef('InternalError'), 503: responseRef('Unavailable') }),
  }
}

/** A reference to a named response. */
export function responseRef(name: keyof typeof sharedResponses): Reference {
  return { $ref: `#/components/responses/${name}` }
}

const byKey: ErrorName[] = ['STOREFRONT_ACCOUNT', 'PUBLIC_KEY', 'IP_NOT_ALLOWED']

const budgetUsed = 'The budget of your address is used up until the window ends'

/** The responses that many operations share. */
export const sharedResponses = {
  Unauthorized: refusal(
    ['UNAUTHORIZED'],
    'The key is missing, unknown, deactivated or expired, its account is inactive, or `Origin` is outside its ' +
      'allowlist. The answer is the same in all these cases.',
  ),
  Forbidden: refusal(byKey, 'The key is valid, but it may not use this operation.'),
  ForbiddenWrite: refusal(
    [...byKey, 'ORIGIN_NOT_ALLOWED'],
    'The key is valid, but it may not use this operation; or `Origin` is on no allowlist. The origin check comes ' +
      'before the rate limit, so its answer has no rate-limit headers.',
  ),
  ForbiddenSimulation: refusal(
    [...byKey, 'LIVE_ACCOUNT', 'ORIGIN_NOT_ALLOWED'],
    'The key is valid, but it may not use this operation, or its account is not in test mode; or `Origin` of a ' +
      'write is on no allowlist.',
  ),
  ForbiddenOrigin: refusal(['ORIGIN_NOT_ALLOWED'], '`Origin` is on no allowlist.', { counted: false }),
  MethodNotAllowed: refusal(['METHOD_NOT_ALLOWED'], 'The path does not have this method. `Allow` names its methods.', {
    headers: ['Allow'],
  }),
  RateLimited: refusal(
    ['RATE_LIMITED'],
    `${budgetUsed}; or too many bodies come from your address at once; or 50 lists of the account wait to be read.`,
    { headers: ['Retry-After'] },
  ),
  InternalError: refusal(['INTERNAL'], 'Internal error on our side. The outcome of the request is unknown.'),
  Unavailable: refusal(
    ['UNAVAILABLE'],
    'The database does not answer, too much is in progress, or the process is about to stop. The outcome of the ' +
      'request is unknown: repeat it, an order with the same idempotency key.',
    { counted: false, headers: ['Retry-After'] },
  ),
  NotServed: refusal(
    ['MALFORMED_HTTP', 'NOT_FOUND', 'REQUEST_TIMEOUT', 'BODY_TOO_LARGE', 'HEADERS_TOO_LARGE'],
    'The request reached no operation: it is not well-formed HTTP (400), its path does not exist (404), it took ' +
      'longer than 30 s to arrive, or its body longer than 10 s (408), or it is too large (413, 431). Only ' +
      'a 404 has rate-limit headers.',
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
