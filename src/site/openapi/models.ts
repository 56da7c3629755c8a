import * as v from 'valibot'
import { deliveries, event } from './delivery_models.ts'
import { code, currency, money, statuses, text, time, wholeNumber } from './model_parts.ts'

/** What the API answers, as schemas. They describe what SQL renders; the tests hold every real answer against them. */

export const game = v.object({
  id: wholeNumber('The game’s number.', 1),
  slug: text('The game’s name in addresses.'),
  name: text('The game’s name for people.'),
  imageUrl: v.nullable(text('A picture.')),
  deliveryTypes: v.pipe(v.array(v.string()), v.description('The `deliveryType`s of its products.')),
  productCount: wholeNumber('How many products its list of products holds.'),
})

export const gameList = v.array(game)

export const deliveryField = v.object({
  id: text('The key in `deliveryData`.'),
  type: v.pipe(
    v.picklist(['text', 'number', 'select']),
    v.description('A `select` takes one of its `options`.'),
  ),
  label: text('What to ask a buyer for.'),
  required: v.boolean(),
  placeholder: v.nullable(text('An example of a value.')),
  options: v.optional(v.pipe(v.array(v.string()), v.description('Only for a `select`.'))),
})

const fixedAmount = v.object({
  type: v.picklist(['fixed']),
  value: v.pipe(v.number(), v.description('How much of the game’s currency one unit holds.')),
})

export const product = v.object({
  id: wholeNumber('The `productId` of orders.', 1),
  gameSlug: text('The game it belongs to.'),
  name: text('The name for people.'),
  slug: text('The name in the form that stands in addresses.'),
  wholesalePrice: money('What one costs you.'),
  currency,
  region: v.nullable(text('Where it can be used; `null`: anywhere.')),
  deliveryType: v.pipe(
    v.string(),
    v.metadata({
      description: '`id_only` is a top-up to a player, `key` delivers keys. There may be others.',
      examples: ['id_only', 'key'],
    }),
  ),
  amountType: v.nullable(fixedAmount),
  inStock: v.pipe(v.boolean(), v.description('Whether it can be ordered now.')),
  minQuantity: wholeNumber('The smallest quantity of an item.', 1),
  maxQuantity: wholeNumber('The largest quantity of an item.', 1),
  deliveryDataSchema: v.pipe(
    v.array(deliveryField),
    v.description('The fields that an item’s `deliveryData` takes.'),
  ),
  updatedAt: time('When it, or what makes it available, last changed.'),
})

export const productList = v.array(product)

export const cdKey = v.object({ code: text('The key.') })

export const item = v.object({
  id: v.pipe(v.string(), v.uuid(), v.description('The item’s id.')),
  productId: wholeNumber('The product’s `id`.', 1),
  productName: text('The product’s name when it was ordered.'),
  amount: wholeNumber('The quantity.', 1),
  price: money('What one cost.'),
  status: v.pipe(
    v.picklist(statuses),
    v.description('`completed` and `failed` are final. Take one that you do not know as not final.'),
  ),
  refundedAmount: money('What of it came back to the balance.'),
  errorCode: v.nullable(text('Why it failed, for programs.')),
  errorMessage: v.nullable(text('Why it failed, in Russian, for buyers.')),
  cdKeys: v.optional(
    v.pipe(
      v.array(cdKey),
      v.description('The delivered keys: of completed items of key products, and not in lists.'),
    ),
  ),
  completedAt: v.nullable(time('When it became final.')),
})

const orderSummary = v.object({
  code: code('The order’s code.'),
  total: money('Its `totalAmount`.'),
  itemCount: wholeNumber('How many items were ordered.', 1),
})

export const order = v.object({
  code: code('The order’s code, for `GET /b2b/orders/{code}`.'),
  orderCode: code('The same.'),
  externalOrderId: text('Your own reference.'),
  status: v.pipe(v.picklist(statuses), v.description('`completed` and `failed` are final.')),
  outcome: v.pipe(
    v.nullable(v.picklist(['full', 'partial', 'none'])),
    v.description('What was delivered, once the order is final. A partial result is `failed`.'),
  ),
  totalAmount: money('What was charged: the sum of `price × amount` over the items. It never shrinks.'),
  refundedAmount: money('What of it came back to the balance.'),
  currency,
  paymentCode: text('The reference of the charge.'),
  callbackUrl: v.nullable(text('Where the result is sent.')),
  error: v.pipe(
    v.nullable(v.picklist(['ORDER_FAILED'])),
    v.description('Always `ORDER_FAILED` where the order failed.'),
  ),
  reason: v.nullable(
    text('Why it failed, in Russian, for buyers, without links; `null` if the supplier gave no reason.'),
  ),
  createdAt: time('When it was placed.'),
  updatedAt: time('When it last changed.'),
  completedAt: v.nullable(time('When it became final.')),
  items: v.pipe(
    v.array(item),
    v.minLength(1),
    v.description('Of an item of which only a part was delivered there are two: one completed, one failed.'),
  ),
  orders: v.pipe(
    v.array(orderSummary),
    v.minLength(1),
    v.maxLength(1),
    v.description('The orders that the request made: this one.'),
  ),
  deliveries: v.optional(
    v.pipe(
      v.nullable(deliveries),
      v.description(
        'How far its event is with its delivery; `null` where it has no event. Only where one order is read by its code.',
      ),
    ),
  ),
})

/** As an order, but for what there is none of. */
export const simulatedOrder = v.object({
  ...order.entries,
  paymentCode: text('In the place of the reference of a charge: nothing was charged.'),
  simulated: v.pipe(
    v.literal(true),
    v.description('It is no order: nothing was spent, and nothing delivered.'),
  ),
})

const nextCursor = v.nullable(text('The `cursor` of the next page; `null` on the last one.'))
const page = {
  limit: wholeNumber('How many were asked for.', 1),
  nextCursor,
  hasMore: v.pipe(v.boolean(), v.description('Whether there is a next page.')),
}

export const catalogPage = v.object({
  products: v.pipe(v.array(product), v.description('By `id`.')),
  pagination: v.object(page),
})

export const eventPage = v.object({
  events: v.pipe(v.array(event), v.description('Newest first.')),
  pagination: v.object(page),
})

export const me = v.object({
  account: v.object({ id: wholeNumber('The account’s number.', 1), name: text('The account’s name.') }),
  mode: v.pipe(
    v.picklist(['live', 'test']),
    v.description('On an account in `test` mode the simulation endpoints are open.'),
  ),
  currency,
  key: v.object({
    prefix: text('The first characters of the key.'),
    last4: text('Its last four characters.'),
    label: v.nullable(text('What the operators call it.')),
    expiresAt: v.nullable(time('When it expires; `null`: never.')),
    allowedOrigins: v.nullable(
      v.pipe(
        v.array(v.string()),
        v.description('The origins that may use it; `null`: any that the service allows.'),
      ),
    ),
    allowedIps: v.nullable(
      v.pipe(v.array(v.string()), v.description('The networks that may use it; `null`: any.')),
    ),
  }),
  rateLimit: v.object({
    limit: wholeNumber('How many requests the address may make in a window of 60 s.', 1),
    remaining: wholeNumber('How many of them are left.'),
    resetSeconds: wholeNumber('The seconds until the window ends.'),
  }),
  address: text('The address that the service sees the request come from.'),
})

export const redeliveryCount = v.object({ count: wholeNumber('How many events it concerns.') })

export const orderPage = v.object({
  orders: v.pipe(v.array(order), v.description('Newest first, their items without `cdKeys`.')),
  pagination: v.object({
    ...page,
    total: v.optional(wholeNumber('How many there are in all; only where a `page` was asked for.')),
    asOf: v.optional(
      text('Names the moment of the list, for the pages after this one; only where a `page` was asked for.'),
    ),
  }),
})

const { id, productId, productName, amount, price, refundedAmount, errorCode } = item.entries

/** What of an item stands in a result. */
export const resultItem = v.object({
  id,
  productId,
  productName,
  amount,
  price,
  status: v.picklist(['completed', 'failed']),
  refundedAmount,
  errorCode,
})

export const result = v.object({
  seq: wholeNumber('Counts the account’s results from 1 without gaps.', 1),
  orderCode: code('The order’s code, for `GET /b2b/orders/{code}`, which has its keys.'),
  externalOrderId: text('Your own reference.'),
  status: v.picklist(['completed', 'failed']),
  outcome: v.pipe(
    v.picklist(['full', 'partial', 'none']),
    v.description(
      'What was delivered. A partial result is `failed`: the items say which of them was delivered.',
    ),
  ),
  totalAmount: money('What was charged.'),
  refundedAmount: money('What of it came back to the balance.'),
  currency,
  completedAt: time('When the order became final. The order of `seq` can differ from it by some seconds.'),
  items: v.pipe(
    v.array(resultItem),
    v.description(
      'The items of the order, in its order and with their ids there, but without keys. Of an item of which only a part ' +
        'was delivered there are two: one completed, one failed.',
    ),
  ),
})

export const resultPage = v.object({
  results: v.pipe(v.array(result), v.description('By `seq`, the lowest first.')),
  nextAfter: wholeNumber('The `after` of the next request: the last `seq` that you have seen.'),
  lastSeq: wholeNumber('The last number of the account.'),
  hasMore: v.pipe(v.boolean(), v.description('Whether there are results after these already.')),
})

export const balance = v.object({
  balance: money('What can be spent.'),
  currency,
  inOrders: money('What is charged on orders that are not final.'),
  lowBalance: v.pipe(v.boolean(), v.description('Whether `balance` is at or below `threshold`.')),
  threshold: money('Set by the operators.'),
  asOf: time('When this was so.'),
})

export const transaction = v.object({
  seq: wholeNumber('Counts the account’s transactions without gaps.', 1),
  type: v.picklist(['deposit', 'order_charge', 'order_refund', 'adjustment']),
  amount: money('Positive where the balance grew, negative where it shrank.'),
  balanceAfter: money('The balance after it.'),
  currency,
  orderCode: v.nullable(text('The order that was charged or refunded.')),
  externalOrderId: v.nullable(text('Your own reference of that order.')),
  paymentCode: v.nullable(text('The reference of the charge.')),
  createdAt: time('When it was made.'),
  reference: v.nullable(text('Of a deposit or an adjustment: under what it was booked, as an invoice.')),
})

export const transactionPage = v.object({
  transactions: v.pipe(v.array(transaction), v.description('Newest first.')),
  openingBalance: money('The balance before `from`; 0 without it.'),
  closingBalance: money('The balance at `to`; without it, the present one.'),
  pagination: v.object(page),
})

export const simulation = v.object({
  eventId: v.pipe(v.string(), v.uuid(), v.description('The `X-Idempotency-Key` of the deliveries.')),
})

const attempt = v.object({
  attempt: wholeNumber('1 to 9.', 1),
  startedAt: time('When it began.'),
  finishedAt: v.nullable(time('When it ended.')),
  outcome: v.pipe(
    v.nullable(v.picklist(['delivered', 'retry', 'dead', 'lost'])),
    v.description(
      '`null` while it is under way; `lost` where its end is not known, which counts as a failure.',
    ),
  ),
  statusCode: v.nullable(wholeNumber('What your receiver answered.', 100)),
  error: v.nullable(text('Why there was no answer.')),
  retryAfterSeconds: v.nullable(wholeNumber('Your `Retry-After`, as it was understood.')),
  nextAttemptAt: v.nullable(time('When it is tried again.')),
})

export const simulationState = v.object({
  eventId: v.pipe(v.string(), v.uuid(), v.description('The event’s id.')),
  eventType: v.picklist(['order.completed', 'order.failed']),
  orderCode: text('The order that the event is about.'),
  callbackUrl: text('Where it is sent.'),
  state: v.picklist(['waiting', 'sending', 'delivered', 'dead']),
  deadReason: v.pipe(
    v.nullable(v.picklist(['attempts_exhausted', 'http_4xx', 'http_3xx', 'invalid_url', 'host_unreachable'])),
    v.description(
      'Why it was given up. `host_unreachable`: the name does not resolve, or not to public addresses alone; this is ' +
        'shown 15 s after the attempt began, whenever it ended.',
    ),
  ),
  nextAttemptAt: v.nullable(time('When the next delivery is due.')),
  createdAt: time('When it was made.'),
  deliveredAt: v.nullable(time('When it was delivered.')),
  deadAt: v.nullable(time('When it was given up.')),
  attempts: v.array(attempt),
})

export const liveness = v.object({ status: v.picklist(['ok']) })
export const readiness = v.object({ status: v.picklist(['ready']) })

export const places = v.object({
  service: v.picklist(['supply-ordering']),
  api: v.string(),
  reference: v.string(),
  openApi: v.string(),
  guide: v.string(),
  live: v.string(),
  ready: v.string(),
})

/** The envelope of every success. */
export function success<Schema extends v.GenericSchema>(data: Schema) {
  return v.object({ success: v.literal(true), data })
}
