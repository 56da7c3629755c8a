import type { BalanceError, BusinessError, IdempotencyError, LimitError, PriceError, RateLimitError } from './types.ts'

type Bodies = {
  INSUFFICIENT_BALANCE: BalanceError
  SPENDING_LIMIT: LimitError
  IDEMPOTENCY_KEY_REUSED: IdempotencyError
  PRICE_CHANGED: PriceError
  RATE_LIMITED: RateLimitError
}

/** The codes of refusals. The service may add codes, so any other string is allowed, too. */
export type RefusalCode =
  | keyof Bodies
  | 'BODY_TOO_LARGE'
  | 'DELIVERY_DATA_INVALID'
  | 'EVENT_NOT_FINAL'
  | 'NOT_CANCELLABLE'
  | 'EVENT_NOT_FOUND'
  | 'FORBIDDEN'
  | 'GAME_NOT_FOUND'
  | 'HEADERS_TOO_LARGE'
  | 'INVALID_CALLBACK_URL'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_FOUND'
  | 'ORDER_NOT_FOUND'
  | 'PRODUCT_NOT_FOUND'
  | 'PRODUCT_UNAVAILABLE'
  | 'QUANTITY_OUT_OF_RANGE'
  | 'REQUEST_TIMEOUT'
  | 'UNAUTHORIZED'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'VALIDATION_ERROR'
  | (string & {})

type BodyOf<Code extends string> = Code extends keyof Bodies ? Bodies[Code] : Partial<BusinessError> & { error: string }

type Origin = { requestId: string; cause?: unknown }

/** The base of all errors of this client. None of them contains the API key. */
export class SupplyError extends Error {
  override name = 'SupplyError'
  /** The `X-Request-Id` of the request: name it when you ask the operators. */
  readonly requestId: string

  constructor(message: string, { requestId, ...options }: Origin) {
    super(message, options)
    this.requestId = requestId
  }
}

/** The service refused the request. A refused order was not placed and not charged. */
export class RefusedError<Code extends string = string> extends SupplyError {
  override name = 'RefusedError'
  readonly status: number
  /** What is wrong, for programs. A 401 is `UNAUTHORIZED`, a 403 is `FORBIDDEN`. */
  readonly code: Code
  /** The body of the response, with its `details` if it has any. */
  readonly body: BodyOf<Code>

  constructor(status: number, code: Code, body: BodyOf<Code>, origin: Origin) {
    super(`${status} ${code}: ${body.error}${textOf(body)}`, origin)
    this.status = status
    this.code = code
    this.body = body
  }
}

/** The service gave no usable response in time. The message names its address and the last cause. */
export class NoAnswerError extends SupplyError {
  override name = 'NoAnswerError'
}

/**
 * It is unknown whether the order was placed. Place the same order again later, with the same key. With another key it
 * could be bought twice.
 */
export class UnknownOutcomeError extends NoAnswerError {
  override name = 'UnknownOutcomeError'
  readonly externalOrderId: string
  readonly idempotencyKey: string

  constructor(order: { externalOrderId: string; idempotencyKey: string }, origin: Origin) {
    const { cause } = origin
    const reason = cause instanceof Error ? ` (${cause.message})` : ''
    super(`it is unknown whether order ${JSON.stringify(order.externalOrderId)} was placed${reason}`, origin)
    this.externalOrderId = order.externalOrderId
    this.idempotencyKey = order.idempotencyKey
  }
}

/** Whether an error is a refusal, and has this code if one is given. The type of `body` follows the code. */
export function isRefused<Code extends RefusalCode = string>(error: unknown, code?: Code): error is RefusedError<Code> {
  return error instanceof RefusedError && (code === undefined || error.code === code)
}

/** The details of a refusal for its message: the fields at fault, or the numbers of a 402. */
function textOf(body: object): string {
  const { details = [] } = body as { details?: object }
  const parts = Array.isArray(details)
    ? details.map(({ path, message }) => `${path} ${message}`.trim())
    : Object.entries(details).map(([name, value]) => `${name} ${value}`)
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`
}
