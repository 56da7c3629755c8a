import * as v from 'valibot'
import { eventTypes } from '../schemas.ts'
import { cdKey, deliveries, deliveryError, order } from './orders.ts'
import { code, listOf, money, oneOf, pagination, text, time, url, uuid, wholeNumber } from './parts.ts'

export const event = v.object({
  ...deliveries.entries,
  eventType: v.picklist(eventTypes),
  orderCode: code('The order that the event is about.'),
  externalOrderId: text('Your reference of that order.', 'shop-1001'),
  callbackUrl: url('The address of the deliveries.'),
  createdAt: time('When the order became final.'),
})

export const eventPage = v.object({ events: listOf(event, 'Newest first.'), pagination })

export const redeliveryCount = v.object({ count: wholeNumber('The number of events.', 0, 3) })

const timelineEntry = v.object({
  at: time('When it happened.'),
  what: oneOf(
    [
      ...(['placed', 'charged', 'sent_to_supplier', 'item_completed', 'item_failed'] as const),
      ...(['order_completed', 'order_failed', 'refunded', 'event_created', 'round_started'] as const),
      ...(['delivery_attempt', 'delivered', 'given_up'] as const),
    ],
    '`round_started`: you or the operators redelivered the event. `given_up`: the event is a dead letter. Ignore ' +
      'values that you do not know.',
  ),
  itemId: v.nullable(uuid('The item.')),
  amount: v.nullable(money('The amount of `charged` and `refunded`.')),
  round: v.nullable(wholeNumber('The round of deliveries, from 1.', 1)),
  attempt: v.nullable(wholeNumber('The attempt in its round, 1 to 9.', 1)),
  status: v.nullable(wholeNumber('The status code that your receiver answered.', 100)),
  error: deliveryError,
  nextAttemptAt: v.nullable(time('When the retry of a failed attempt was due.')),
})

export const orderTimeline = v.object({
  code: code('The order’s code.'),
  entries: listOf(timelineEntry, 'Oldest first.'),
})

/* Simulated events */

export const simulation = v.object({ eventId: uuid('The `X-Idempotency-Key` of the deliveries.') })

const attempt = v.object({
  attempt: wholeNumber('1 to 9.', 1),
  startedAt: time('When the attempt began.'),
  finishedAt: v.nullable(time('When the attempt ended.')),
  outcome: v.nullable(
    oneOf(
      ['delivered', 'retry', 'dead', 'lost'],
      '`null`: the attempt is in progress. `lost`: its end is not known, it counts as a failure.',
    ),
  ),
  statusCode: v.nullable(wholeNumber('The status code that your receiver answered.', 100)),
  error: v.nullable(text('Why there was no answer.')),
  retryAfterSeconds: v.nullable(wholeNumber('The seconds of your `Retry-After`.')),
  nextAttemptAt: v.nullable(time('When the retry is due.')),
})

export const simulationState = v.object({
  eventId: uuid('The event’s id.'),
  eventType: v.picklist(eventTypes),
  orderCode: text('The order that the event is about.', 'sample_3c9a1f527d644b0e8a271f0e9d8c7b6a'),
  callbackUrl: url('The address of the deliveries.'),
  state: v.pipe(v.picklist(['waiting', 'sending', 'delivered', 'dead']), v.examples(['sending'])),
  deadReason: v.nullable(
    oneOf(
      ['attempts_exhausted', 'http_4xx', 'http_3xx', 'invalid_url', 'host_unreachable'],
      'Why the event is a dead letter. `host_unreachable`: the name does not resolve, or not only to public ' +
        'addresses; shown 15 s after the attempt began.',
    ),
  ),
  nextAttemptAt: v.nullable(time('When the next delivery is due.')),
  createdAt: time('When the event was made.'),
  deliveredAt: v.nullable(time('When the event was delivered.')),
  deadAt: v.nullable(time('When the event became a dead letter.')),
  attempts: v.array(attempt),
})

/* Webhooks */

export const eventItem = v.object({
  productName: text('The product’s name.', 'Frost Kingdoms: Deep Ice'),
  amount: wholeNumber('The quantity.', 1),
  price: money('The price per unit.', 790),
  cdKeys: v.optional(listOf(cdKey, 'The keys, if the product delivers keys.', [{ code: 'AAAAA-BBBBB-CCCCC' }])),
})

const envelope = <const Type extends string, Data extends v.ObjectEntries>(type: Type, data: Data) =>
  v.object({
    event_id: uuid('Equals `X-Idempotency-Key`; the same in every delivery of the event.'),
    event_type: v.literal(type),
    occurred_at: time('When the order became final.'),
    data: v.object({
      orderCode: text('The order’s code.', 'ord_4c0d9f6e1b7a42f38e5d2c1b0a998877'),
      externalOrderId: text('Your reference.', 'shop-1001'),
      totalAmount: money('The amount that was charged.', 790),
      ...data,
      completedAt: time('When the order became final.'),
    }),
  })

/** The body of `order.completed` (specification 6.2). */
export const orderCompleted = envelope('order.completed', {
  status: v.literal('completed'),
  items: v.pipe(v.array(eventItem), v.minLength(1)),
})

const noSuchPlayer = 'Игрок с указанным идентификатором не найден. Проверьте данные и оформите заказ заново.'

/** The body of `order.failed` (specification 6.2). */
export const orderFailed = envelope('order.failed', {
  status: v.literal('failed'),
  error: v.pipe(v.literal('ORDER_FAILED'), v.description('Always this text: for programs.')),
  reason: v.pipe(order.entries.reason, v.examples([noSuchPlayer])),
})
