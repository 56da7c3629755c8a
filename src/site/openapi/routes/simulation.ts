import * as v from 'valibot'
import { magicPlayerIds, otherPlayerIds } from '../../../demo/supplier/orders.ts'
import { orderCode } from '../../../http/schemas.ts'
import * as examples from '../examples/events.ts'
import { orderRequests } from '../examples/orders.ts'
import { simulatedCode, simulatedOrders } from '../examples/simulated_orders.ts'
import { pathParameter } from '../json_schema.ts'
import { everywhere, refusal, refusals } from '../refusals.ts'
import { jsonBody, ok } from '../replies.ts'
import type { Paths } from '../types.ts'
import { idempotencyHeaders } from './orders.ts'

const tags = ['Simulation']
const keyChecks = ['STOREFRONT_ACCOUNT', 'PUBLIC_KEY', 'IP_NOT_ALLOWED', 'LIVE_ACCOUNT'] as const

/** What each player id does, as a table in Markdown. */
const courses = [
  '| `gameUserId` | The simulated order |',
  '|---|---|',
  `| any other | ${otherPlayerIds.what} |`,
  ...magicPlayerIds.map(({ digits, what }) => `| ends with \`${digits}\` | ${what} |`),
].join('\n')

/** /simulation: test drives and sample events, for accounts in mode test. */
export const simulationPaths: Paths = {
  '/simulation/orders': {
    post: {
      operationId: 'simulateOrder',
      tags,
      summary: 'Place a simulated order',
      description: [
        'For accounts in test mode. The body is that of an order, and it is checked like one, but for the balance. Nothing is ' +
          'charged and no supplier is asked. The order is `processing` at first; what becomes of it the last two digits of ' +
          '`deliveryData.gameUserId` choose, item by item, also for products of keys:',
        courses,
        'Its webhook goes the way of real ones, signed with the account’s secret, retries and dead letters included. Repeats are ' +
          'treated as those of orders are. It asks for 1,000 keys at most, and is forgotten after a week; its webhook after a day.',
      ].join('\n\n'),
      parameters: idempotencyHeaders,
      requestBody: jsonBody('As of an order.', 'OrderRequest', orderRequests),
      responses: {
        200: ok('It was asked for before.', 'SimulatedOrderAnswer', simulatedOrders, {
          headers: ['Cache-Control', 'Idempotent-Replayed'],
        }),
        201: ok(
          'It is under way.',
          'SimulatedOrderAnswer',
          { processing: simulatedOrders.processing },
          { headers: ['Cache-Control'] },
        ),
        ...refusals([
          ...(['VALIDATION_ERROR', 'INVALID_CALLBACK_URL', 'DELIVERY_DATA_INVALID', 'UNAUTHORIZED'] as const),
          ...([...keyChecks, 'ORIGIN_NOT_ALLOWED', 'IDEMPOTENCY_KEY_REUSED'] as const),
          ...(['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
          ...(['ORDERED_PRODUCT_NOT_FOUND', 'PRODUCT_UNAVAILABLE', 'QUANTITY_OUT_OF_RANGE'] as const),
          'PRICE_CHANGED',
        ]),
        ...everywhere,
        429: refusal(
          [
            ...(['RATE_LIMITED', 'TOO_MANY_SIMULATIONS', 'TOO_MANY_SIMULATIONS_A_MINUTE'] as const),
            ...(['TOO_MANY_SAMPLES', 'TOO_MANY_SAMPLES_A_MINUTE'] as const),
          ],
          'The budget of the client’s address is used up until the window ends; or 100 simulated orders of the account are under way, ' +
            'or 100 sample events open; or it has asked for 60 within the last minute.',
          { headers: ['Retry-After'] },
        ),
      },
    },
  },
  '/simulation/orders/{code}': {
    get: {
      operationId: 'getSimulatedOrder',
      tags,
      summary: 'Read a simulated order',
      description: 'As an order would be read. `deliveries` is `null` again once its webhook is forgotten.',
      parameters: [pathParameter('code', 'The `code` that asking for it gave.', orderCode, simulatedCode)],
      responses: {
        200: ok('The simulated order.', 'SimulatedOrderAnswer', simulatedOrders, {
          headers: ['Cache-Control'],
        }),
        ...refusals(['UNAUTHORIZED', ...keyChecks, 'ORDER_NOT_FOUND']),
        ...everywhere,
      },
    },
  },
  '/simulation/webhooks': {
    post: {
      operationId: 'simulateWebhook',
      tags,
      summary: 'Send a sample event',
      description:
        'For accounts in test mode. The event goes the way of real ones, signed with the account’s secret, retries and ' +
        'dead letters included. It touches neither balance nor supplier, its body is at most 64 KiB, and it is forgotten ' +
        'after a day.',
      requestBody: jsonBody('At most 64 KiB.', 'SimulationRequest', examples.simulationRequests),
      responses: {
        202: ok('The event is on its way.', 'SimulationAnswer', examples.simulations),
        ...refusals([
          ...(['VALIDATION_ERROR', 'INVALID_CALLBACK_URL', 'UNAUTHORIZED'] as const),
          ...([...keyChecks, 'ORIGIN_NOT_ALLOWED'] as const),
          ...(['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
        ]),
        ...everywhere,
        429: refusal(
          ['RATE_LIMITED', 'TOO_MANY_SAMPLES', 'TOO_MANY_SAMPLES_A_MINUTE'],
          'The budget of the client’s address is used up until the window ends; or 100 sample events of the account are ' +
            'neither delivered nor given up yet; or it has sent 60 within the last minute.',
          { headers: ['Retry-After'] },
        ),
      },
    },
  },
  '/simulation/webhooks/{eventId}': {
    get: {
      operationId: 'getSimulation',
      tags,
      summary: 'Read a sample event',
      parameters: [
        pathParameter(
          'eventId',
          'The `eventId` that sending it gave.',
          v.pipe(v.string(), v.uuid()),
          '3c9a1f52-7d64-4b0e-8a27-1f0e9d8c7b6a',
        ),
      ],
      responses: {
        200: ok('The event and its deliveries.', 'SimulationStateAnswer', examples.simulationStates, {
          headers: ['Cache-Control'],
        }),
        ...refusals(['UNAUTHORIZED', ...keyChecks, 'EVENT_NOT_FOUND']),
        ...everywhere,
      },
    },
  },
}
