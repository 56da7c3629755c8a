import type { ErrorName } from '../../../http/errors.ts'
import { idempotencyKey, orderCode, ordersQuery, resultsQuery } from '../../../http/schemas.ts'
import { timelines } from '../examples/events.ts'
import * as examples from '../examples/orders.ts'
import { pathParameter, plainSchema, queryParameters } from '../json_schema.ts'
import { jsonBody, ok, operation } from '../operation.ts'
import type { Parameter, Paths } from '../types.ts'

const tag = 'Orders'

const keyHeader = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  example: 'shop-1001',
  schema: plainSchema(idempotencyKey),
})

/** The headers for an order's idempotency key. */
export const idempotencyHeaders = [
  keyHeader('X-Idempotency-Key', 'The idempotency key; without it, the key is `externalOrderId`.'),
  keyHeader(
    'Idempotency-Key',
    'Another name for `X-Idempotency-Key`. Send one of them; if you send both, they must be equal.',
  ),
]

/** The refusals of an order, except that of its balance. */
export const orderErrors: ErrorName[] = [
  ...(['INVALID_CALLBACK_URL', 'DELIVERY_DATA_INVALID', 'IDEMPOTENCY_KEY_REUSED'] as const),
  ...(['ORDERED_PRODUCT_NOT_FOUND', 'PRODUCT_UNAVAILABLE', 'QUANTITY_OUT_OF_RANGE'] as const),
  'PRICE_CHANGED',
]

const codeParameter = pathParameter('code', 'The order’s `code`.', orderCode, examples.code)
const toOrder = {
  ReadOrder: {
    operationId: 'getOrder',
    description: 'The order, with its result when it is final.',
    parameters: { code: '$response.body#/data/code' },
  },
}
const toEvent = {
  ReadTimeline: {
    operationId: 'getOrderTimeline',
    description: 'The history of the order.',
    parameters: { code: '$response.body#/data/code' },
  },
  ReadEvent: {
    operationId: 'getEvent',
    description: 'The event of the order, if it has one.',
    parameters: { eventId: '$response.body#/data/deliveries/eventId' },
  },
  RedeliverEvent: {
    operationId: 'redeliverEvent',
    description: 'A new delivery of the order’s event.',
    parameters: { eventId: '$response.body#/data/deliveries/eventId' },
  },
}

/** /b2b/orders and /b2b/results: quotes, orders and their results. */
export const orderPaths: Paths = {
  '/b2b/orders': {
    post: operation({
      id: 'placeOrder',
      tag,
      summary: 'Place an order',
      description: [
        'One request is one order and one charge. The new order is `processing`. Its result comes by webhook, ' +
          'and `GET /b2b/orders/{code}` returns it.',
        'It is always safe to repeat the request. The same idempotency key with the same `items`, ' +
          '`externalOrderId` and `callbackUrl` returns 200, the order as it is now and `Idempotent-Replayed: ' +
          'true`, and charges nothing. With other content it returns 409. A refused request (4xx) does not use up ' +
          'the key. After a 5xx or a lost connection, repeat the request.',
        'The checks, in this order: shape, idempotency, `callbackUrl`, products, `deliveryData`, availability, ' +
          'quantities, prices, spending limits, balance. Fields that are not listed here are ignored, and `null` counts as absent.',
      ].join('\n\n'),
      access: 'keyForWrites',
      parameters: idempotencyHeaders,
      body: jsonBody('OrderRequest', examples.orderRequests),
      answers: {
        200: ok('An earlier request placed the order.', 'OrderAnswer', examples.orders, [
          'Cache-Control',
          'Idempotent-Replayed',
        ]),
        201: { ...ok('The order is placed and charged.', 'OrderAnswer', examples.placedOrders), links: toOrder },
      },
      errors: [...orderErrors, 'SPENDING_LIMIT', 'INSUFFICIENT_BALANCE'],
    }),
    get: operation({
      id: 'listOrders',
      tag,
      summary: 'List orders',
      description:
        'Newest first, the items without their keys. There are two ways to page. With `cursor`, pages are stable ' +
        'while orders are added; a page has at most 1,000 items, but at least one order. With `page`, send the ' +
        '`asOf` of the first page with the others. `cursor` excludes `page`, and `asOf` needs `page`.',
      parameters: queryParameters(ordersQuery),
      answers: { 200: ok('The orders.', 'OrderPage', examples.orderPages) },
    }),
  },
  '/b2b/orders/quote': {
    post: operation({
      id: 'quoteOrder',
      tag,
      summary: 'Quote an order',
      description: [
        'The body is that of an order without `externalOrderId`. The answer has the present prices, the total ' +
          'and the balance after the order. `wouldBeRefused` has the status, `code` and `details` of the refusal ' +
          'that the order would get now. Nothing is placed, charged or reserved.',
        'The checks are those of an order, except idempotency: the idempotency headers and `externalOrderId` are ' +
          'ignored. A malformed body is a 400.',
      ].join('\n\n'),
      access: 'keyForWrites',
      body: jsonBody('QuoteRequest', examples.quoteRequests),
      answers: { 200: ok('The quote, also for an order that would be refused.', 'QuoteAnswer', examples.quotes) },
    }),
  },
  '/b2b/orders/{code}': {
    get: operation({
      id: 'getOrder',
      tag,
      summary: 'Read an order',
      description:
        'For a partial result, `items[].status` shows what was delivered. The `cdKeys` of delivered items are ' +
        'shown although the order is `failed`. No webhook reports a partial result: poll orders that are not ' +
        'final. `deliveries` is the status of the webhook.',
      parameters: [codeParameter],
      answers: { 200: { ...ok('The order.', 'OrderAnswer', examples.readOrders), links: toEvent } },
      errors: ['ORDER_NOT_FOUND'],
    }),
  },
  '/b2b/orders/{code}/timeline': {
    get: operation({
      id: 'getOrderTimeline',
      tag,
      summary: 'Read the timeline of an order',
      description:
        'Placed, charged, sent to the supplier, the result of each item, refunds, and each delivery of the ' +
        'event, oldest first. Single attempts are kept for some months, and shown for the last 20 rounds.',
      parameters: [codeParameter],
      answers: { 200: ok('The timeline.', 'OrderTimelineAnswer', timelines) },
      errors: ['ORDER_NOT_FOUND'],
    }),
  },
  '/b2b/results': {
    get: operation({
      id: 'listResults',
      tag: 'Results',
      summary: 'List results',
      description: [
        'Every order of the account that became final: also orders without a `callbackUrl` and partial results, ' +
          'which have no webhook. Results have numbers, from 1 without a gap. Store `nextAfter` together with what ' +
          'you did about the results, and send it as `after` next time: you get each result once and miss none.',
        'Each result has the items of its order with `id` and `productId`. Only the keys are missing: read the ' +
          'order.',
        'With `wait`, an empty answer waits for a result for so many seconds. It can come earlier: while a ' +
          'server stops, or when too many requests wait (10 of an account, 1,000 in all, in each server process). ' +
          'Pause for a second after an empty answer.',
      ].join('\n\n'),
      parameters: queryParameters(resultsQuery),
      answers: { 200: ok('The results after `after`, the oldest first.', 'ResultPage', examples.resultPages) },
    }),
  },
}
