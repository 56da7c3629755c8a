import * as v from 'valibot'
import { eventStates, orderStatuses } from '../schemas.ts'
import { balanceError, detail, limitError, priceError } from './errors.ts'
import { code, currency, flag, listOf, money, oneOf, pagination, text, time, url, uuid, wholeNumber } from './parts.ts'

const outcomes = ['full', 'partial', 'none'] as const

export const cdKey = v.object({
  code: text('The key.', 'AAAAA-BBBBB-CCCCC'),
  pin: v.optional(text('Its PIN; only where the supplier gave one, as the fields below.')),
  serial: v.optional(text('Its serial number.')),
  url: v.optional(url('Where the buyer redeems it.')),
  expiresAt: v.optional(text('When it expires: a date or a time (ISO 8601).')),
})

const refundedAmount = money('The part of the charge that was refunded.', 0)
const itemHead = {
  id: uuid('The item’s id.', '0b5f7c1a-2d3e-4f60-8182-93a4b5c6d7e8'),
  productId: wholeNumber('The product’s `id`.', 1, 101),
  productName: text('The product’s name when you ordered it.', '60 pearls'),
  amount: wholeNumber('The quantity.', 1),
  price: money('The price per unit.', 89),
}
const errorCode = v.nullable(text('Why the item failed, for programs.'))

export const item = v.object({
  ...itemHead,
  status: oneOf(
    orderStatuses,
    '`completed` and `failed` are final. Treat a status that you do not know as not final.',
    'processing',
  ),
  refundedAmount,
  errorCode,
  errorMessage: v.nullable(text('Why the item failed, in Russian, for buyers.')),
  cdKeys: v.optional(listOf(cdKey, 'The delivered keys of a completed item. Absent in lists.')),
  completedAt: v.nullable(time('When the item became final.')),
})

const orderSummary = v.object({
  code: code('The order’s code.'),
  total: money('The order’s `totalAmount`.', 89),
  itemCount: wholeNumber('The number of items in the request.', 1),
})

export const deliveryError = v.nullable(
  v.pipe(
    v.string(),
    v.metadata({
      description:
        '`http_` and the status code that your receiver answered, `timeout`, `connection_error`, `tls_error`, ' +
        '`bad_response` (not HTTP), `name_not_resolved`, `blocked_address`, `invalid_url`, or `lost` (the end of ' +
        'the attempt is not known, it counts as a failure). There may be others. `null` if the event was ' +
        'delivered.',
      examples: ['timeout', 'http_503'],
    }),
  ),
)

/** The status of the webhook of an order. */
export const deliveries = v.object({
  eventId: uuid('The event’s id, the `X-Idempotency-Key` of its deliveries.'),
  state: oneOf(
    eventStates,
    '`dead`: a dead letter, not sent again automatically. `held`: the operators hold it back. Treat a state that ' +
      'you do not know as not final.',
    'dead',
  ),
  attempts: wholeNumber('The attempts of the present round.', 0, 9),
  nextAttemptAt: v.nullable(time('When the next attempt is due, or was.')),
  lastStatus: v.nullable(wholeNumber('The status code that your receiver last answered.', 100)),
  lastError: deliveryError,
})

export const order = v.object({
  code: code('The order’s code, for `GET /b2b/orders/{code}`.'),
  orderCode: code('The same as `code`.'),
  externalOrderId: text('Your reference.', 'shop-1001'),
  status: oneOf(orderStatuses, '`completed` and `failed` are final.', 'processing'),
  outcome: v.nullable(oneOf(outcomes, 'What was delivered, once the order is final. A partial result is `failed`.')),
  totalAmount: money('The amount that was charged: the sum of `price × amount` over the items. It never shrinks.', 89),
  refundedAmount,
  currency,
  paymentCode: text('The reference of the charge.', 'pay_4c0d9f6e1b7a42f38e5d2c1b0a998877'),
  callbackUrl: v.nullable(url('The address of the webhook.', 'https://hooks.shop.example/supply')),
  error: v.nullable(oneOf(['ORDER_FAILED'], 'Always `ORDER_FAILED` if the order failed.')),
  reason: v.nullable(
    text('Why the order failed, in Russian, for buyers, without links; `null` if the supplier gave no reason.'),
  ),
  createdAt: time('When the order was placed.'),
  updatedAt: time('When the order last changed.'),
  completedAt: v.nullable(time('When the order became final.')),
  items: v.pipe(
    v.array(item),
    v.minLength(1),
    v.description('An item that was delivered in part is split in two: one completed, one failed.'),
  ),
  orders: v.pipe(
    v.array(orderSummary),
    v.minLength(1),
    v.maxLength(1),
    v.description('The orders of the request: this one.'),
  ),
  deliveries: v.optional(
    v.pipe(
      v.nullable(deliveries),
      v.description('The status of the webhook; `null` if the order has no event. Only in `GET /b2b/orders/{code}`.'),
    ),
  ),
})

export const orderPage = v.object({
  orders: listOf(order, 'Newest first, the items without `cdKeys`.'),
  pagination: v.object({
    ...pagination.entries,
    total: v.optional(wholeNumber('The number of all orders; only with `page`.')),
    asOf: v.optional(text('The time of the list, for the pages after this one; only with `page`.')),
  }),
})

export const simulatedOrder = v.object({
  ...order.entries,
  paymentCode: text(
    'Stands in for the reference of a charge: nothing was charged.',
    'sim_pay_8d2f6b1a0c9e4b7f9a3d5e1c7b2f4a60',
  ),
  simulated: v.pipe(v.literal(true), v.description('Nothing was spent and nothing was delivered.')),
})

/* Results */

export const resultItem = v.object({
  ...itemHead,
  status: v.picklist(['completed', 'failed']),
  refundedAmount,
  errorCode,
})

export const result = v.object({
  seq: wholeNumber('The number of the result in the account, from 1 without gaps.', 1),
  orderCode: code('The order’s code. `GET /b2b/orders/{code}` has its keys.'),
  externalOrderId: text('Your reference.', 'shop-1001'),
  status: v.picklist(['completed', 'failed']),
  outcome: oneOf(outcomes, 'What was delivered. A partial result is `failed`; see `items[].status`.'),
  totalAmount: money('The amount that was charged.', 89),
  refundedAmount,
  currency,
  completedAt: time('When the order became final. The sequence of `seq` can differ from it by some seconds.'),
  items: listOf(
    resultItem,
    'The items of the order, without keys. An item that was delivered in part is split in two: one completed, ' +
      'one failed.',
  ),
})

export const resultPage = v.object({
  results: listOf(result, 'By `seq`, the lowest first.'),
  nextAfter: wholeNumber('The `after` of the next request: the last `seq` that you have seen.', 0, 1),
  lastSeq: wholeNumber('The last `seq` of the account.', 0, 1),
  hasMore: flag('True if there are results after these.'),
})

/* Quotes */

export const quoteItem = v.object({
  productId: v.pipe(v.number(), v.integer(), v.metadata({ description: 'As in the request.', examples: [101] })),
  productName: v.nullable(text('The product’s name; `null`: no such product in your currency.', '60 pearls')),
  quantity: wholeNumber('As in the request; default 1.', 1),
  price: v.nullable(money('The present price per unit; `null` for an unknown product.', 89)),
  total: v.nullable(money('`price × quantity`.', 89)),
  available: flag('True if you can order the product now.', true),
})

export const quoteRefusal = v.object({
  status: v.pipe(v.picklist([400, 402, 422]), v.description('The status of the refusal.')),
  error: text('The `error` of the refusal, for people.'),
  code: text('The `code` of the refusal.'),
  details: v.pipe(
    v.union([
      v.array(v.union([priceError.entries.details.item, detail])),
      limitError.entries.details,
      balanceError.entries.details,
    ]),
    v.description('The `details` of the refusal: the fields at fault; for a 402 the balance and the total.'),
  ),
})

export const quote = v.object({
  items: listOf(quoteItem, 'In the order of the request.'),
  totalAmount: v.nullable(money('The total of the order; `null` if a product is unknown.', 89)),
  currency,
  balance: money('The present balance.', 100_000),
  balanceAfter: v.nullable(money('`balance` less `totalAmount`; negative if the balance is too low.', 99_911)),
  wouldBeRefused: v.pipe(
    v.nullable(quoteRefusal),
    v.description('`null`: the order would be accepted. Otherwise the first check that it would fail.'),
  ),
})
