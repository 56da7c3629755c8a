import * as v from 'valibot'

const text = (description: string) => v.pipe(v.string(), v.description(description))
const failure = {
  success: v.literal(false),
  error: text('What is wrong, for people. It may change; `code` and the status do not.'),
}
const business = {
  ...failure,
  requestId: v.optional(text('The `X-Request-Id` of the answer: name it when you ask the operators.')),
}
const detailEntries = {
  path: text('The place, as `items[0].productId`; empty for the whole body.'),
  message: text('What is wrong there.'),
}

/** Authentication and authorization (specification 7): the 401s, and the 403s of the key checks. */
export const authenticationError = v.object({
  error: v.picklist(['Unauthorized', 'Forbidden']),
  message: text('Why.'),
})

/** The origin check's 403 (specification 5, rule 7). */
export const originError = v.object(failure)

export const detail = v.object(detailEntries)

/** Every other error. */
export const businessError = v.object({
  ...business,
  code: text('What is wrong, for programs.'),
  details: v.optional(
    v.pipe(
      v.array(detail),
      v.description(
        'The fields at fault, where there are any: at most 50 entries, of which the last says how many more there are.',
      ),
    ),
  ),
})

/** 402. */
export const balanceError = v.object({
  ...business,
  code: v.picklist(['INSUFFICIENT_BALANCE']),
  details: v.object({
    balance: v.pipe(v.number(), v.description('What there is.')),
    required: v.pipe(v.number(), v.description('What the order would cost.')),
    currency: v.string(),
  }),
})

/** 409. */
export const idempotencyError = v.object({
  ...business,
  code: v.picklist(['IDEMPOTENCY_KEY_REUSED']),
  details: v.pipe(v.array(detail), v.description('The fields that differ.')),
  orderCode: text('The order that the key belongs to.'),
})

const priceDetail = v.object({
  ...detailEntries,
  price: v.optional(
    v.pipe(
      v.number(),
      v.description('The present price, or the present total for `maxTotal`. Absent where `path` is empty.'),
    ),
  ),
})

/** 422 `PRICE_CHANGED`. */
export const priceError = v.object({
  ...business,
  code: v.picklist(['PRICE_CHANGED']),
  details: v.array(priceDetail),
})

/** 429. */
export const rateLimitError = v.object({
  ...business,
  code: v.picklist(['RATE_LIMITED']),
  retryAfter: v.pipe(v.number(), v.integer(), v.description('Seconds, as in `Retry-After`.')),
})
