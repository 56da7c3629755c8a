import * as v from 'valibot'
import { orderCode } from '../../../http/schemas.ts'
import { magicPlayerIds, otherPlayerIds } from '../../../simulation/scenarios.ts'
import * as events from '../examples/events.ts'
import * as orders from '../examples/orders.ts'
import { pathParameter } from '../json_schema.ts'
import { jsonBody, ok, operation } from '../operation.ts'
import type { Paths } from '../types.ts'
import { idempotencyHeaders, orderErrors } from './orders.ts'

const tag = 'Simulation'
const access = 'testKey'

/** The scenario of each player id, as a table in Markdown. */
const scenarios = [
  '| `gameUserId` | The simulated order |',
  '|---|---|',
  `| any other | ${otherPlayerIds.what} |`,
  ...magicPlayerIds.map(({ digits, what }) => `| ends with \`${digits}\` | ${what} |`),
].join('\n')

/** /simulation: simulated orders and events, for accounts in test mode. */
export const simulationPaths: Paths = {
  '/simulation/orders': {
    post: operation({
      id: 'simulateOrder',
      tag,
      summary: 'Place a simulated order',
      description: [
        'For accounts in test mode. The body is that of an order, and the checks are the same, except the ' +
          'balance. Nothing is charged and no supplier is called. The order is `processing` at first. The last two ' +
          'digits of `deliveryData.gameUserId` choose the scenario of each item, also of products that deliver ' +
          'keys:',
        scenarios,
        'The webhook is signed with the account’s secret and delivered like a real one, with retries and dead ' +
          'letters. Repeats work as for orders. A simulated order has at most 1,000 keys. The service deletes it ' +
          'after a week, and its webhook after a day. At most 100 simulated orders are in progress at once, and 60 ' +
          'begin in a minute.',
      ].join('\n\n'),
      access,
      parameters: idempotencyHeaders,
      body: jsonBody('OrderRequest', orders.orderRequests),
      answers: {
        200: ok('An earlier request placed it.', 'SimulatedOrderAnswer', orders.simulatedOrders, [
          'Cache-Control',
          'Idempotent-Replayed',
        ]),
        201: {
          ...ok('It is in progress.', 'SimulatedOrderAnswer', orders.placedSimulatedOrders),
          links: {
            ReadSimulatedOrder: {
              operationId: 'getSimulatedOrder',
              description: 'The simulated order, with its result when it is final.',
              parameters: { code: '$response.body#/data/code' },
            },
          },
        },
      },
      errors: [
        ...orderErrors,
        ...(['TOO_MANY_SIMULATIONS', 'TOO_MANY_SIMULATIONS_A_MINUTE'] as const),
        ...(['TOO_MANY_SAMPLES', 'TOO_MANY_SAMPLES_A_MINUTE'] as const),
      ],
    }),
  },
  '/simulation/orders/{code}': {
    get: operation({
      id: 'getSimulatedOrder',
      tag,
      summary: 'Read a simulated order',
      description: 'As an order. `deliveries` is `null` again once the webhook is deleted.',
      access,
      parameters: [pathParameter('code', 'The `code` of the simulated order.', orderCode, orders.simulatedCode)],
      answers: { 200: ok('The simulated order.', 'SimulatedOrderAnswer', orders.simulatedOrders) },
      errors: ['ORDER_NOT_FOUND'],
    }),
  },
  '/simulation/webhooks': {
    post: operation({
      id: 'simulateWebhook',
      tag,
      summary: 'Send a sample event',
      description:
        'For accounts in test mode. The event is signed with the account’s secret and delivered like a real one, ' +
        'with retries and dead letters. It touches no balance and no supplier. Its body has at most 64 KiB. The ' +
        'service deletes it after a day. At most 100 sample events are open at once, and 60 begin in a minute.',
      access,
      body: jsonBody('SimulationRequest', events.simulationRequests),
      answers: {
        202: {
          ...ok('The event is queued.', 'SimulationAnswer', events.simulations, []),
          links: {
            ReadSimulation: {
              operationId: 'getSimulation',
              description: 'The deliveries of the event.',
              parameters: { eventId: '$response.body#/data/eventId' },
            },
          },
        },
      },
      errors: ['INVALID_CALLBACK_URL', 'TOO_MANY_SAMPLES', 'TOO_MANY_SAMPLES_A_MINUTE'],
    }),
  },
  '/simulation/webhooks/{eventId}': {
    get: operation({
      id: 'getSimulation',
      tag,
      summary: 'Read a sample event',
      description: 'The status of a sample event, and its delivery attempts.',
      access,
      parameters: [
        pathParameter('eventId', 'The `eventId` of the sample event.', v.pipe(v.string(), v.uuid()), orders.eventId),
      ],
      answers: { 200: ok('The event and its deliveries.', 'SimulationStateAnswer', events.simulationStates) },
      errors: ['EVENT_NOT_FOUND'],
    }),
  },
}
