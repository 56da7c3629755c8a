import * as v from 'valibot'
import { hiddenCharacter } from '../messages/hidden_characters.ts'
import { limitInHundredths } from '../messages/hundredths.ts'
import { isStorable } from '../messages/storable.ts'

const unsafeKeys = ['__proto__', 'constructor', 'prototype']
const storable = v.check<string, string>(isStorable, 'must not contain U+0000 or unpaired surrogates')

/** Characters that change how a terminal, or a reader, sees the text around them. U+0000 is refused as not storable. */
const visible = v.check<string, (issue: v.CheckIssue<string>) => string>(
  (text) => !isStorable(text) || hiddenCharacter(text) === undefined,
  ({ input }) => `must not contain ${hiddenCharacter(input)}, a control character`,
)

// An object that lacks a required entry is reported at the entry.
const objectMessage = (issue: v.ObjectIssue) => (issue.expected === 'Object' ? 'must be an object' : 'is required')

const textOf = (max: number) => {
  const message = `must be a text of 1 to ${max} characters`
  return v.pipe(v.string(message), v.minLength(1, message), v.maxCodePoints(max, message), storable)
}

const visibleTextOf = (max: number) => v.pipe(textOf(max), visible)

const wholeNumber = (min: number, max: number, message = `must be a whole number from ${min} to ${max}`) => {
  return v.pipe(v.number(message), v.integer(message), v.minValue(min, message), v.maxValue(max, message))
}

const priceLimit = v.pipe(
  v.number('must be a number'),
  v.finite('must be a number'),
  v.minValue(0, 'must not be negative'),
  v.transform(limitInHundredths),
)

/** One of these words, which the refusal of another one names. */
const wordOf = <const Words extends readonly string[]>(words: Words) =>
  v.picklist(words, `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`)

export const orderStatuses = ['pending', 'processing', 'completed', 'failed'] as const
export const eventStates = ['waiting', 'sending', 'delivered', 'dead', 'held'] as const
export const eventTypes = ['order.completed', 'order.failed'] as const

const pattern = (requirement: RegExp, message?: string) => v.pipe(v.string(message), v.regex(requirement, message))

/** The parameters of paths. A value that does not fit is not found. */
export const gameSlug = pattern(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/)
export const productNumber = pattern(/^[1-9]\d{0,9}$/)
const codePattern = /^[A-Za-z0-9_-]{1,64}$/
const uuidPattern = /^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/
export const orderCode = pattern(codePattern)
export const eventId = pattern(uuidPattern)
export const supplierCode = pattern(/^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$/)

// An integer that is too large to be exact is too large to be a product; the database is to say that.
const productId = v.pipe(
  v.number('must be a whole number'),
  v.integer('must be a whole number'),
  v.metadata({ description: 'The `id` of a product of the catalog.', examples: [101] }),
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
  v.union([visibleTextOf(256), exactNumber, v.boolean()], 'must be a text, a number, true or false'),
)

/** The `deliveryData` of an item: at most 20 named values. */
export const deliveryRecord = v.pipe(
  v.record(
    v.pipe(
      v.string(),
      v.minLength(1, 'has no name'),
      v.maxLength(64, 'has a name longer than 64 characters'),
      storable,
      visible,
    ),
    deliveryValue,
    'must be an object',
  ),
  v.maxEntries(20),
  v.metadata({
    description:
      'What the delivery needs, by the ids of the product’s `deliveryDataSchema`; for a top-up the player as ' +
      '`gameUserId`. Other keys are passed on to the supplier. `null` counts as absent. Keys named `__proto__`, ' +
      '`constructor` or `prototype` are refused, and whole numbers beyond 2^53 have to be texts.',
    examples: [{ gameUserId: '123456789' }],
  }),
  v.transform((data) => Object.fromEntries(Object.entries(data).filter(([, value]) => value != null))),
)
const notAnObject = v.never('must be an object')
const tooManyKeys = v.never('must not have more than 20 keys')
const unsafeObject = v.never(`must not have a key named ${unsafeKeys.join(', ')}`)

// valibot counts arrays among the objects, and drops some keys of a record without a word. What is too long is not
// looked at entry by entry: each would have its own complaint.
const deliveryData = v.lazy((input) => {
  if (Array.isArray(input)) return notAnObject
  if (!isObject(input)) return deliveryRecord
  if (Object.keys(input).length > 20) return tooManyKeys
  return unsafeKeys.some((key) => Object.hasOwn(input, key)) ? unsafeObject : deliveryRecord
})

const urlMetadata = <Input>(description: string) =>
  v.metadata<Input, Record<string, unknown>>({
    description,
    format: 'uri',
    examples: ['https://hooks.shop.example/supply'],
  })

/** An item of POST /b2b/orders (specification 2.2). */
export const orderItem = v.object(
  {
    productId,
    quantity: v.pipe(
      v.nullish(wholeNumber(1, 2_147_483_647, 'must be a whole number from 1 to the product’s maxQuantity'), 1),
      v.description('How many; 1 where it is absent. The product says how many at most (`maxQuantity`).'),
    ),
    deliveryData: v.pipe(
      v.nullish(deliveryData, {}),
      v.metadata({
        description: 'Required as far as the product’s `deliveryDataSchema` has required fields.',
        examples: [{ gameUserId: '123456789' }],
      }),
    ),
    maxPrice: v.pipe(
      v.nullish(priceLimit, null),
      v.description('The most that one may cost. Where the price is higher, the order is refused as `PRICE_CHANGED`.'),
    ),
  },
  objectMessage,
)

/** Named for the OpenAPI document, which would give it a number. */
export const orderItems = v.pipe(
  v.array(orderItem, 'must be a list of items'),
  v.minLength(1, 'must have at least one item'),
  v.maxLength(50),
)
const tooManyItems = v.never('must not have more than 50 items')

/** The body of POST /b2b/orders (specification 2.2). Its output has all fields; `null` stands for absent ones. */
export const orderRequest = v.object(
  {
    items: v.lazy((input) => (Array.isArray(input) && input.length > 50 ? tooManyItems : orderItems)),
    externalOrderId: v.pipe(
      visibleTextOf(128),
      v.metadata({
        description:
          'Your own reference of the order, and its idempotency key where no header gives another: unique permanently.',
        examples: ['shop-1001'],
      }),
    ),
    callbackUrl: v.pipe(
      v.nullish(v.string('must be a text'), null),
      urlMetadata(
        'Where the result is sent, as a webhook. http or https, a public host, no credentials in it; the final ' +
          'address, for redirects are not followed.',
      ),
    ),
    maxTotal: v.pipe(
      v.nullish(priceLimit, null),
      v.description('The most that the order may cost in all. Above it, it is refused as `PRICE_CHANGED`.'),
    ),
  },
  objectMessage,
)

/** The body of POST /b2b/orders/quote: that of an order without `externalOrderId`, which is ignored. */
export const quoteRequest = v.object(
  {
    ...v.omit(orderRequest, ['externalOrderId']).entries,
    callbackUrl: v.pipe(
      v.nullish(v.string('must be a text'), null),
      v.description('As in an order. A forbidden URL is no error here: `wouldBeRefused` reports it.'),
    ),
  },
  objectMessage,
)

export type OrderRequest = v.InferOutput<typeof orderRequest>

/** The key of `X-Idempotency-Key` and `Idempotency-Key`. */
export const idempotencyKey = pattern(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 printable ASCII characters')

/** The body of POST /simulation/webhooks. */
export const simulationRequest = v.object(
  {
    callbackUrl: v.pipe(
      v.string('must be a text'),
      urlMetadata('Where the event is sent; the rules are those of an order’s `callbackUrl`.'),
    ),
    eventType: wordOf(eventTypes),
    orderCode: v.pipe(
      v.nullish(pattern(codePattern, 'must be 1 to 64 of A-Z, a-z, 0-9, _ and -'), null),
      v.description(
        'An order of yours that ended so: the event is about it then, unless it would be larger than 64 KiB, which ' +
          'is refused. With any other code, or none, it holds sample data.',
      ),
    ),
  },
  objectMessage,
)

const timeMessage = 'must be an ISO 8601 date or time, such as 2026-01-31T12:00:00Z (send + as %2B)'
const time = v.pipe(
  v.string(timeMessage),
  v.check(isTime, timeMessage),
  v.metadata({
    description: 'ISO 8601; UTC unless it has a zone. A date alone is its first moment.',
    format: 'date-time',
    examples: ['2026-01-31T12:00:00.000Z'],
  }),
)
const endTime = v.pipe(time, v.transform(endOfMillisecond))
const pageLimit = v.pipe(v.optional(wholeNumber(1, 100), 20), v.description('How many to give.'))
const since = v.pipe(
  v.optional(time),
  v.description('Only what has changed since then. ISO 8601; a date alone is its first moment.'),
)
const from = v.pipe(
  v.optional(time),
  v.description('The earliest time of creation. ISO 8601; a date alone is its first moment.'),
)
const to = v.pipe(
  v.optional(endTime),
  v.description('The latest time of creation, inclusive. A date alone is its first moment.'),
)
const cursorOf = (requirement: RegExp) =>
  v.pipe(
    v.optional(pattern(requirement, 'must be a nextCursor')),
    v.description('The `nextCursor` of the page before.'),
  )

/** The query of GET /b2b/catalog/games. */
export const gamesQuery = v.object({ updatedSince: since })

/** The query of GET /b2b/catalog/games/:slug/products. */
export const productsQuery = v.object({
  deliveryType: v.pipe(
    v.optional(textOf(50)),
    v.metadata({ description: 'Only products of this `deliveryType`.', examples: ['id_only'] }),
  ),
  updatedSince: since,
  limit: v.pipe(v.optional(wholeNumber(1, 5000), 5000), v.description('How many to give.')),
  cursor: v.pipe(
    v.optional(pattern(/^[1-9]\d{0,9}$/, 'must be the cursor of a Link header')),
    v.description('The `cursor` in the `Link` header of the page before.'),
  ),
})

/** The query of GET /b2b/catalog/products. */
export const catalogQuery = v.object({
  updatedSince: since,
  limit: v.pipe(v.optional(wholeNumber(1, 1000), 100), v.description('How many to give.')),
  cursor: cursorOf(/^[1-9]\d{0,8}$/),
})

/** The query of GET /b2b/catalog/products/:id. */
export const productQuery = v.object({
  locale: v.pipe(
    v.optional(pattern(/^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,7}$/, 'must be a language, such as ru, pt-BR or zh-Hant')),
    v.metadata({ description: 'The language of the `texts`.', examples: ['ru'] }),
  ),
})

/** The query of GET /b2b/events. */
export const eventsQuery = v.object({
  state: v.pipe(v.optional(wordOf(eventStates)), v.description('Only events in this state.')),
  since: v.pipe(v.optional(time), v.description('Only events that were made since then.')),
  limit: pageLimit,
  cursor: cursorOf(uuidPattern),
})

/** The body of POST /b2b/events/:eventId/redeliver, where there is one. */
export const redeliveryRequest = v.object(
  {
    callbackUrl: v.pipe(
      v.nullish(v.string('must be a text'), null),
      urlMetadata(
        'Where the event goes from now on, if its address was wrong; the rules are those of an order’s ' +
          '`callbackUrl`.',
      ),
    ),
  },
  objectMessage,
)

/** The body of POST /b2b/events/redeliver. */
export const redeliverDeadRequest = v.object(
  {
    state: v.pipe(v.picklist(['dead'], 'must be dead'), v.description('Only dead events are sent again together.')),
    since: v.pipe(time, v.description('Events that died since then, an ISO 8601 date or time.')),
    dryRun: v.pipe(
      v.nullish(v.boolean('must be true or false'), false),
      v.description('With `true`, the events are only counted.'),
    ),
  },
  objectMessage,
)

/** The query of GET /b2b/orders. */
export const ordersQuery = v.object({
  limit: pageLimit,
  cursor: cursorOf(codePattern),
  page: v.pipe(
    v.optional(wholeNumber(1, 2_147_483_647)),
    v.description(
      'The page by its number, from 1, instead of a cursor. It adds `pagination.total` and `pagination.asOf`.',
    ),
  ),
  asOf: v.pipe(
    v.optional(pattern(/^\d{1,18}$/, 'must be an asOf')),
    v.description(
      'The `asOf` of the first `page`, for the pages after it: orders that were placed since are left out, so that ' +
        'they shift nothing.',
    ),
  ),
  status: v.pipe(v.optional(wordOf(orderStatuses)), v.description('Only orders in this status.')),
  externalOrderId: v.pipe(v.optional(textOf(128)), v.description('Only orders with this reference of yours.')),
  createdFrom: from,
  createdTo: to,
})

/** The query of GET /b2b/balance/transactions. */
export const transactionsQuery = v.object({ limit: pageLimit, cursor: cursorOf(/^[1-9]\d{0,17}$/), from, to })

/** The query of GET /b2b/results. */
export const resultsQuery = v.object({
  after: v.pipe(
    v.optional(wholeNumber(0, 999_999_999_999_999), 0),
    v.description('The `nextAfter` of the answer before: only results with a higher `seq` are given.'),
  ),
  limit: pageLimit,
  wait: v.pipe(
    v.optional(wholeNumber(0, 30), 0),
    v.description('How many seconds to wait for a result where there is none.'),
  ),
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
