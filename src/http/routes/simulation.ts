import { behaviourFor, endOf, magicPlayerIds, otherPlayerIds, secondsOf } from '../../simulation/scenarios.ts'
import { type ErrorName, invalid, refuse } from '../errors.ts'
import { simulation, simulationState } from '../models/events.ts'
import { simulatedOrder } from '../models/orders.ts'
import { reply, replyUnstored } from '../reply.ts'
import { eventId, type OrderRequest, orderCode, orderRequest, simulationRequest } from '../schemas.ts'
import { requireGoodCallback, sqlRequest } from './order_requests.ts'
import { answerPlaced, idempotencyHeaders, orderErrors, readOrder } from './orders.ts'
import { link, param, route } from './route.ts'

const tag = 'Simulation'
const access = 'testKey'
const exampleCode = 'sim_8d2f6b1a0c9e4b7f9a3d5e1c7b2f4a60'
const ofOrder = param(orderCode, exampleCode, 'The `code` of the simulated order.', 'ORDER_NOT_FOUND')
const exampleId = '3c9a1f52-7d64-4b0e-8a27-1f0e9d8c7b6a'
const ofEvent = param(eventId, exampleId, 'The `eventId` of the sample event.', 'EVENT_NOT_FOUND')

/** The scenario of each player id, as a table in Markdown. */
const scenarios = [
  '| `gameUserId` | The simulated order |',
  '|---|---|',
  `| any other | ${otherPlayerIds.what} |`,
  ...magicPlayerIds.map(({ digits, what }) => `| ends with \`${digits}\` | ${what} |`),
].join('\n')

const refusals: { [result: string]: ErrorName } = {
  too_many_open: 'TOO_MANY_SIMULATIONS',
  too_many_a_minute: 'TOO_MANY_SIMULATIONS_A_MINUTE',
  samples_too_many_open: 'TOO_MANY_SAMPLES',
  samples_too_many_a_minute: 'TOO_MANY_SAMPLES_A_MINUTE',
}

/**
 * Partners' own tests, for accounts in mode `test` alone. A sample event is sent at once over the path of real ones,
 * retries and dead letters included, to any URL that an order could name. A simulated order is checked like a real one,
 * ends as its player ids say, and spends nothing.
 */
export const simulationRoutes = [
  route({
    method: 'post',
    path: '/simulation/orders',
    access,
    id: 'simulateOrder',
    tag,
    summary: 'Place a simulated order',
    description: [
      'For accounts in test mode. The body is that of an order, and the checks are the same, except the balance. ' +
        'Nothing is charged and no supplier is called. The order is `processing` at first. The last two digits of ' +
        '`deliveryData.gameUserId` choose the scenario of each item, also of products that deliver keys:',
      scenarios,
      'The webhook is signed with the account’s secret and delivered like a real one, with retries and dead letters. ' +
        'Repeats work as for orders. A simulated order has at most 1,000 keys. The service deletes it after a week, ' +
        'and its webhook after a day. At most 100 simulated orders are in progress at once, and 60 begin in a minute.',
    ].join('\n\n'),
    headers: idempotencyHeaders,
    body: { schema: orderRequest, unread: true },
    answers: {
      200: {
        description: 'An earlier request placed it.',
        data: simulatedOrder,
        headers: ['Cache-Control', 'Idempotent-Replayed'],
      },
      201: {
        description: 'It is in progress.',
        data: simulatedOrder,
        links: {
          ReadSimulatedOrder: link(
            'getSimulatedOrder',
            'The simulated order, with its result when it is final.',
            'code',
          ),
        },
      },
    },
    errors: [
      ...orderErrors,
      ...(['TOO_MANY_SIMULATIONS', 'TOO_MANY_SIMULATIONS_A_MINUTE'] as const),
      ...(['TOO_MANY_SAMPLES', 'TOO_MANY_SAMPLES_A_MINUTE'] as const),
    ],
    handle: async (ctx, { db, allowNetworks }) => {
      const asked = await readOrder(ctx)
      const request = sqlRequest(ctx, asked.order, asked.idempotencyKey, allowNetworks)
      const courses = asked.order.items.map(courseOf)
      const [placed] = await ctx.state.databaseTime(() => db.call('api.place_simulated_order', { request, courses }))
      if (placed === undefined) throw new Error('api.place_simulated_order returned no row')
      const { result, retry_after: retryAfter, body } = placed
      const refusal = refusals[result]
      if (refusal === undefined || retryAfter === null) return answerPlaced(ctx, { result, body })
      refuse(ctx, refusal, { retryAfter })
    },
  }),
  route({
    method: 'get',
    path: '/simulation/orders/:code',
    access,
    id: 'getSimulatedOrder',
    tag,
    summary: 'Read a simulated order',
    description: 'As an order. `deliveries` is `null` again once the webhook is deleted.',
    params: { code: ofOrder },
    answers: { 200: { description: 'The simulated order.', data: simulatedOrder } },
    errors: ['ORDER_NOT_FOUND'],
    handle: async (ctx, { db, account: { id: account_id }, params: { code } }) => {
      const order = await ctx.state.databaseTime(() => db.call('api.get_simulated_order', { account_id, code }))
      if (order === null) return refuse(ctx, 'ORDER_NOT_FOUND')
      replyUnstored(ctx, order)
    },
  }),
  route({
    method: 'post',
    path: '/simulation/webhooks',
    access,
    id: 'simulateWebhook',
    tag,
    summary: 'Send a sample event',
    description:
      'For accounts in test mode. The event is signed with the account’s secret and delivered like a real one, with ' +
      'retries and dead letters. It touches no balance and no supplier. Its body has at most 64 KiB. The service ' +
      'deletes it after a day. At most 100 sample events are open at once, and 60 begin in a minute.',
    body: { schema: simulationRequest },
    answers: {
      202: {
        description: 'The event is queued.',
        data: simulation,
        headers: [],
        links: { ReadSimulation: link('getSimulation', 'The deliveries of the event.', 'eventId') },
      },
    },
    errors: ['INVALID_CALLBACK_URL', 'TOO_MANY_SAMPLES', 'TOO_MANY_SAMPLES_A_MINUTE'],
    handle: async (
      ctx,
      { db, allowNetworks, account: { id: account_id }, body: { callbackUrl, eventType, orderCode } },
    ) => {
      requireGoodCallback(callbackUrl, allowNetworks)
      const asked = { account_id, callback_url: callbackUrl, event_type: eventType, order_code: orderCode }
      const [simulated] = await ctx.state.databaseTime(() => db.call('api.simulate_webhook', asked))
      if (simulated === undefined) throw new Error('api.simulate_webhook returned no row')
      const { event_id, refusal, retry_after: retryAfter } = simulated
      if (refusal === null) return reply(ctx, JSON.stringify({ eventId: event_id }), 202)
      if (refusal === 'too_large') {
        const message = 'the event about this order is larger than 64 KiB, and no sample is'
        throw invalid([{ path: 'orderCode', message }])
      }
      const name = refusals[`samples_${refusal}`]
      if (name === undefined || retryAfter === null) throw new Error(`unexpected refusal of a sample: ${refusal}`)
      refuse(ctx, name, { retryAfter })
    },
  }),
  route({
    method: 'get',
    path: '/simulation/webhooks/:eventId',
    access,
    id: 'getSimulation',
    tag,
    summary: 'Read a sample event',
    description: 'The status of a sample event, and its delivery attempts.',
    params: { eventId: ofEvent },
    answers: { 200: { description: 'The event and its deliveries.', data: simulationState } },
    errors: ['EVENT_NOT_FOUND'],
    handle: async (ctx, { db, account: { id: account_id }, params: { eventId: event_id } }) => {
      const event = await ctx.state.databaseTime(() => db.call('api.get_simulation', { account_id, event_id }))
      if (event === null) return refuse(ctx, 'EVENT_NOT_FOUND')
      replyUnstored(ctx, event)
    },
  }),
]

/** When an item ends and how, for either kind of product: the database knows which kind it is. */
function courseOf(item: OrderRequest['items'][number]) {
  const behaviour = behaviourFor(item)
  const keys = endOf(behaviour, item.quantity, true)
  const topUp = endOf(behaviour, item.quantity, false)
  return { seconds: secondsOf(item), keys, topUp }
}
