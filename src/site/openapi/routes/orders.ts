import { idempotencyKey, orderCode, ordersQuery } from '../../../http/schemas.ts'
import * as examples from '../examples/orders.ts'
import { pathParameter, plainSchema, queryParameters } from '../json_schema.ts'
import { everywhere, keyChecks, keyChecksOfWrites, refusals } from '../refusals.ts'
import { jsonBody, ok } from '../replies.ts'
import type { Parameter, Paths } from '../types.ts'

const tags = ['Orders']
const unstored = { headers: ['Cache-Control'] } as const

const keyHeader = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  example: 'shop-1001',
  schema: plainSchema(idempotencyKey),
})

/** What an order's idempotency key can come in. */
export const idempotencyHeaders = [
  keyHeader('X-Idempotency-Key', 'The idempotency key, instead of `externalOrderId`.'),
  keyHeader('Idempotency-Key', 'The same. Where both are sent they must be equal.'),
]

/** /b2b/orders: placing an order, reading one, listing them. */
export const orderPaths: Paths = {
  '/b2b/orders': {
    post: {
      operationId: 'placeOrder',
      tags,
      summary: 'Place an order',
      description: [
        'One request is one order and one charge. The order is `processing` then; its result comes by webhook and can be ' +
          'read with `GET /b2b/orders/{code}`.',
        'It is always safe to repeat: the same idempotency key with the same `items`, `externalOrderId` and ' +
          '`callbackUrl` gives 200, the order as it is now and `Idempotent-Replayed: true`, and charges nothing; with other ' +
          'content it is a 409. The key is `X-Idempotency-Key` (or `Idempotency-Key`) if one of them is sent, else ' +
          '`externalOrderId`. A refused request (4xx) binds nothing. After a 5xx or a lost connection, repeat the request.',
        'What is checked, in this order: shape, idempotency, `callbackUrl`, products, `deliveryData`, availability, ' +
          'quantities, prices, balance. Fields that are not listed here are ignored, and `null` counts as absent.',
      ].join('\n\n'),
      parameters: idempotencyHeaders,
      requestBody: jsonBody(
        'At most 64 KiB of `application/json` in UTF-8, not compressed.',
        'OrderRequest',
        examples.orderRequests,
      ),
      responses: {
        200: ok('The order was placed before.', 'OrderAnswer', examples.orders, {
          headers: ['Cache-Control', 'Idempotent-Replayed'],
        }),
        201: ok(
          'The order is placed and charged.',
          'OrderAnswer',
          { processing: examples.orders.processing },
          { headers: [...unstored.headers] },
        ),
        ...refusals([
          ...(['VALIDATION_ERROR', 'INVALID_CALLBACK_URL', 'DELIVERY_DATA_INVALID'] as const),
          ...(['INSUFFICIENT_BALANCE', 'IDEMPOTENCY_KEY_REUSED'] as const),
          ...(['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
          ...(['ORDERED_PRODUCT_NOT_FOUND', 'PRODUCT_UNAVAILABLE', 'QUANTITY_OUT_OF_RANGE'] as const),
          'PRICE_CHANGED',
        ]),
        ...keyChecksOfWrites,
        ...everywhere,
      },
    },
    get: {
      operationId: 'listOrders',
      tags,
      summary: 'List orders',
      description:
        'Newest first, the items without their keys. Pages by `cursor` are stable while orders are added. Pages by number ' +
        '(`page`) are so with the `asOf` of the first one. A page by `cursor` has at most 1,000 items, but at least one order.',
      parameters: queryParameters(ordersQuery),
      responses: {
        200: ok('The orders.', 'OrderPage', examples.orderPages, { headers: [...unstored.headers] }),
        ...refusals(['VALIDATION_ERROR']),
        ...keyChecks,
        ...everywhere,
      },
    },
  },
  '/b2b/orders/{code}': {
    get: {
      operationId: 'getOrder',
      tags,
      summary: 'Read an order',
      description:
        'Of a partial result `items[].status` says what was delivered, and delivered `cdKeys` are shown although the order ' +
        'is `failed`. No webhook reports it: read orders that stay open. `deliveries` has the status of the webhook.',
      parameters: [
        pathParameter('code', 'The order’s `code`.', orderCode, 'ord_4c0d9f6e1b7a42f38e5d2c1b0a998877'),
      ],
      responses: {
        200: ok('The order.', 'OrderAnswer', examples.readOrders, { headers: [...unstored.headers] }),
        ...refusals(['VALIDATION_ERROR', 'ORDER_NOT_FOUND']),
        ...keyChecks,
        ...everywhere,
      },
    },
  },
}
