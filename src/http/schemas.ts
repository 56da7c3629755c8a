import * as v from 'valibot'
import { isStorable } from './validate.ts'

const unsafeKeys = ['__proto__', 'constructor', 'prototype']
const storable = v.check<string, string>(isStorable, 'must not hold U+0000 or half a character')

// An object that lacks a required entry is reported at the entry.
const objectMessage = (issue: v.ObjectIssue) =>
  issue.expected === 'Object' ? 'must be an object' : 'is required'

const textOf = (max: number) => {
  const message = `must be a text of 1 to ${max} characters`
  return v.pipe(v.string(message), v.minLength(1, message), v.maxLength(max, message), storable)
}

const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`
  return v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message))
}

const amount = v.pipe(
  v.number('must be a number'),
  v.finite('must be a number'),
  v.minValue(0, 'must not be negative'),
)

// An integer that is too large to be exact is too large to be a product; the database is to say that.
const productId = v.pipe(
  v.number('must be a whole number'),
  v.integer('must be a whole number'),
  v.transform((id) => Math.max(Number.MIN_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, id))),
)

const exactNumber = v.pipe(
  v.number(),
  v.finite('must be a number'),
  v.check(
    (value) => !Number.isInteger(value) || Number.isSafeInteger(value),
    'is too long for a number: send it as a text',
  ),
)

const deliveryValue = v.nullish(
  v.union([textOf(256), exactNumber, v.boolean()], 'must be a text, a number, true or false'),
)

const deliveryRecord = v.pipe(
  v.record(
    v.pipe(
      v.string(),
      v.minLength(1, 'has no name'),
      v.maxLength(64, 'has a name longer than 64 characters'),
      storable,
    ),
    deliveryValue,
    'must be an object',
  ),
  v.maxEntries(20, 'must not have more than 20 keys'),
  v.transform((data) => Object.fromEntries(Object.entries(data).filter(([, value]) => value != null))),
)
const notAnObject = v.never('must be an object')
const unsafeObject = v.never(`must not have a key named ${unsafeKeys.join(', ')}`)

// valibot counts arrays among the objects, and drops some keys of a record without a word.
const deliveryData = v.lazy((input) => {
  if (Array.isArray(input)) return notAnObject
  return isObject(input) && unsafeKeys.some((key) => Object.hasOwn(input, key))
    ? unsafeObject
    : deliveryRecord
})

const orderItem = v.object(
  {
    productId,
    quantity: v.nullish(wholeNumber(1, 2_147_483_647), 1),
    deliveryData: v.nullish(deliveryData, {}),
    maxPrice: v.nullish(amount, null),
  },
  objectMessage,
)

/** The body of POST /b2b/orders (specification 2.2). Its output has all fields; `null` stands for absent ones. */
export const orderRequest = v.object(
  {
    items: v.pipe(
      v.array(orderItem, 'must be a list of items'),
      v.minLength(1, 'must have at least one item'),
      v.maxLength(50, 'must not have more than 50 items'),
    ),
    externalOrderId: textOf(128),
    callbackUrl: v.nullish(v.string('must be a text'), null),
    maxTotal: v.nullish(amount, null),
  },
  objectMessage,
)

export type OrderRequest = v.InferOutput<typeof orderRequest>

/** The key of `X-Idempotency-Key` and `Idempotency-Key`. */
export const idempotencyKey = v.pipe(
  v.string(),
  v.regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters'),
)

const timeMessage = 'must be an ISO 8601 date or time, such as 2026-01-31T12:00:00Z (send + as %2B)'
const time = v.pipe(v.string(timeMessage), v.check(isTime, timeMessage))
const endTime = v.pipe(time, v.transform(endOfMillisecond))
const pageLimit = v.optional(wholeNumber(1, 100), 20)

/** The query of GET /b2b/catalog/games. */
export const gamesQuery = v.object({ updatedSince: v.optional(time) })

/** The query of GET /b2b/catalog/games/:slug/products. */
export const productsQuery = v.object({
  deliveryType: v.optional(textOf(50)),
  updatedSince: v.optional(time),
})

/** The query of GET /b2b/orders. */
export const ordersQuery = v.object({
  limit: pageLimit,
  cursor: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be a nextCursor'))),
  page: v.optional(wholeNumber(1, 2_147_483_647)),
  status: v.optional(
    v.picklist(
      ['pending', 'processing', 'completed', 'failed'],
      'must be pending, processing, completed or failed',
    ),
  ),
  externalOrderId: v.optional(textOf(128)),
  createdFrom: v.optional(time),
  createdTo: v.optional(endTime),
})

/** The query of GET /b2b/balance/transactions. */
export const transactionsQuery = v.object({
  limit: pageLimit,
  cursor: v.optional(v.pipe(v.string(), v.regex(/^[1-9]\d{0,17}$/, 'must be a nextCursor'))),
  from: v.optional(time),
  to: v.optional(endTime),
})

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

const timePattern =
  /^((\d{4})-(\d\d)-(\d\d))(?:T((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?(\.\d{1,9})?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?)?$/

function isTime(text: string): boolean {
  const [, , year, month, day] = timePattern.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined || day === undefined || year === 0) return false
  return month >= 1 && month <= 12 && new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day
}

// Times are kept in microseconds and shown in milliseconds: an end takes in the whole of the millisecond it names.
function endOfMillisecond(text: string): string {
  const [, date, , , , minutes, seconds = ':00', fraction = '.', zone = 'Z'] = timePattern.exec(text) ?? []
  if (minutes === undefined || fraction.length > 4) return text
  return `${date}T${minutes}${seconds}${fraction.padEnd(4, '0')}999${zone}`
}
