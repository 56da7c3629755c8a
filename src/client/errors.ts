import type { BalanceError, BusinessError, IdempotencyError, PriceError, RateLimitError } from './types.ts'

/** The codes of refusals. There may be others: changes of the service only add. */
export type RefusalCode =
  | 'BODY_TOO_LARGE'
  | 'DELIVERY_DATA_INVALID'
  | 'EVENT_NOT_FINAL'
  | 'EVENT_NOT_FOUND'
  | 'FORBIDDEN'
  | 'GAME_NOT_FOUND'
  | 'HEADERS_TOO_LARGE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'INSUFFICIENT_BALANCE'
  | 'INVALID_CALLBACK_URL'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_FOUND'
  | 'ORDER_NOT_FOUND'
  | 'PRICE_CHANGED'
  | 'PRODUCT_NOT_FOUND'
  | 'PRODUCT_UNAVAILABLE'
  | 'QUANTITY_OUT_OF_RANGE'
  | 'RATE_LIMITED'
  | 'REQUEST_TIMEOUT'
  | 'UNAUTHORIZED'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'VALIDATION_ERROR'

type Bodies = {
  INSUFFICIENT_BALANCE: BalanceError
  IDEMPOTENCY_KEY_REUSED: IdempotencyError
  PRICE_CHANGED: PriceError
  RATE_LIMITED: RateLimitError
}

type BodyOf<Code extends string> = Code extends keyof Bodies
  ? Bodies[Code]
  : Partial<BusinessError> & { error: string }

type About = { requestId: string; cause?: unknown }

/** What all errors of this client have in common. None of them holds the API key. */
export class SupplyError extends Error {
  override name = 'SupplyError'
  /** The `X-Request-Id` that the request had: name it when you ask the operators. */
  readonly requestId: string

  constructor(message: string, { requestId, ...options }: About) {
    super(message, options)
    this.requestId = requestId
  }
}

/** The service answered, and refused. A refused order was not placed, and nothing was charged for it. */
export class RefusedError<Code extends string = string> extends SupplyError {
  override name = 'RefusedError'
  readonly status: number
  /** What is wrong, for programs. A 401 is `UNAUTHORIZED`, each 403 `FORBIDDEN`. */
  readonly code: Code
  /** The body of the answer, with `details` where there are any. */
  readonly body: BodyOf<Code>

  constructor(status: number, code: Code, body: BodyOf<Code>, about: About) {
    super(`the service refused with ${status} ${code}: ${body.error}`, about)
    this.status = status
    this.code = code
    this.body = body
  }
}

/** There was no answer of the service within the time, or none that makes sense. `cause` is what came last. */
export class NoAnswerError extends SupplyError {
  override name = 'NoAnswerError'
}

/**
 * Whether the order was placed is not known. Place the very same order again later, under the same key: never under
 * another, which could buy it twice.
 */
export class UnknownOutcomeError extends NoAnswerError {
  override name = 'UnknownOutcomeError'
  readonly externalOrderId: string
  readonly idempotencyKey: string

  constructor(order: { externalOrderId: string; idempotencyKey: string }, about: About) {
    super(`whether the order ${JSON.stringify(order.externalOrderId)} was placed is not known`, about)
    this.externalOrderId = order.externalOrderId
    this.idempotencyKey = order.idempotencyKey
  }
}

/** Tells whether an error is a refusal, with this code if one is given. The type of `body` follows the code. */
export function isRefused<Code extends RefusalCode | (string & {}) = string>(
  error: unknown,
  code?: Code,
): error is RefusedError<Code> {
  return error instanceof RefusedError && (code === undefined || error.code === code)
}
