import * as v from 'valibot'
import { listOf, oneOf, text, time, wholeNumber } from './parts.ts'

const failure = {
  success: v.literal(false),
  error: text('What is wrong, for people. The text may change; `code` and the status do not.'),
}
const business = {
  ...failure,
  requestId: v.optional(text('The `X-Request-Id` of the answer. Name it when you ask the operators.')),
}
const detailEntries = {
  path: text('The field at fault, for example `items[0].productId`; empty for the whole body.'),
  message: text('What is wrong with the field.'),
}

/** Authentication and authorization (specification 7): the 401s, and the 403s of the key checks. */
export const authenticationError = v.object({
  error: v.picklist(['Unauthorized', 'Forbidden']),
  message: text('The reason.'),
})

/** The origin check's 403 (specification 5, rule 7). */
export const originError = v.object(failure)

export const detail = v.object(detailEntries)

/** All other errors. */
export const businessError = v.object({
  ...business,
  code: text('What is wrong, for programs.'),
  details: v.optional(
    listOf(detail, 'The fields at fault: at most 50 entries. The last one says how many are left out.'),
  ),
})

export const balanceError = v.object({
  ...business,
  code: v.picklist(['INSUFFICIENT_BALANCE']),
  details: v.object({
    balance: v.pipe(v.number(), v.description('The present balance.')),
    required: v.pipe(v.number(), v.description('The total of the order.')),
    currency: v.string(),
  }),
})

export const limitError = v.object({
  ...business,
  code: v.picklist(['SPENDING_LIMIT']),
  details: v.object({
    limit: v.pipe(v.number(), v.description('What may be spent in the hour or day.')),
    spent: v.pipe(v.number(), v.description('What was spent in it so far.')),
    required: v.pipe(v.number(), v.description('The total of the order.')),
    per: oneOf(['hour', 'day'], 'In UTC.'),
    scope: oneOf(['account', 'key'], 'Whether the limit is of the account or of the key.'),
    resetsAt: time('When the next hour or day begins.'),
    currency: v.string(),
  }),
})

export const idempotencyError = v.object({
  ...business,
  code: v.picklist(['IDEMPOTENCY_KEY_REUSED']),
  details: listOf(detail, 'The fields that differ.'),
  orderCode: text('The order with this idempotency key.'),
})

const priceDetail = v.object({
  ...detailEntries,
  price: v.optional(
    v.pipe(
      v.number(),
      v.description('The present price, or for `maxTotal` the present total. Absent if `path` is empty.'),
    ),
  ),
})

export const priceError = v.object({ ...business, code: v.picklist(['PRICE_CHANGED']), details: v.array(priceDetail) })

export const rateLimitError = v.object({
  ...business,
  code: v.picklist(['RATE_LIMITED']),
  retryAfter: wholeNumber('The seconds to wait, as in `Retry-After`.'),
})
