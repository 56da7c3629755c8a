import { invalid, refuse } from '../errors.ts'
import * as models from '../models/events.ts'
import { deliveries } from '../models/orders.ts'
import { replyUnstored } from '../reply.ts'
import { eventId, eventsQuery, redeliverDeadRequest, redeliveryRequest } from '../schemas.ts'
import { refusalOf, requireGoodCallback } from './order_requests.ts'
import { param, route } from './route.ts'

const tag = 'Webhooks'
const access = 'key'
const exampleId = '3c9a1f52-7d64-4b0e-8a27-1f0e9d8c7b6a'
const whichEvent = 'The `deliveries.eventId` of an order, or the `event_id` of a webhook.'
const ofEvent = param(eventId, exampleId, whichEvent, 'EVENT_NOT_FOUND')

/**
 * The events of an account: their list, one of them, and redeliveries that the partner asks for. The state of a
 * delivery is what the partner asks for: it is never read from a standby.
 */
export const eventRoutes = [
  route({
    method: 'get',
    path: '/b2b/events',
    access,
    id: 'listEvents',
    tag,
    summary: 'List events',
    description:
      'The events of your orders, newest first, each with the state of its delivery. `state=dead` lists the dead ' +
      'letters.',
    query: eventsQuery,
    answers: { 200: { description: 'The events.', data: models.eventPage } },
    handle: async (
      ctx,
      { db, turns, account: { id: account_id }, query: { state, since, limit: page_limit, cursor: after_id } },
    ) => {
      const read = () => db.call('api.list_events', { account_id, page_limit, state, since, after_id })
      const page = await turns(account_id, () => ctx.state.databaseTime(read))
      if (page === null) throw invalid([{ path: 'cursor', message: 'must be a nextCursor' }])
      replyUnstored(ctx, page)
    },
  }),
  route({
    method: 'get',
    path: '/b2b/events/:eventId',
    access,
    id: 'getEvent',
    tag,
    summary: 'Read an event',
    description: 'One event: its order, its address and the state of its delivery.',
    params: { eventId: ofEvent },
    answers: { 200: { description: 'The event.', data: models.event } },
    errors: ['EVENT_NOT_FOUND'],
    handle: async (ctx, { db, account: { id: account_id }, params: { eventId: event_id } }) => {
      const event = await ctx.state.databaseTime(() => db.call('api.get_event', { account_id, event_id }))
      if (event === null) return refuse(ctx, 'EVENT_NOT_FOUND')
      replyUnstored(ctx, event)
    },
  }),
  route({
    method: 'post',
    path: '/b2b/events/redeliver',
    access,
    id: 'redeliverDeadEvents',
    tag,
    summary: 'Redeliver all dead letters',
    description:
      'For the time after an outage of your receiver: a new round of deliveries begins for each event that became a ' +
      'dead letter since then, the oldest first, at most 10,000 at once. With `dryRun` the service only counts them. ' +
      'The request counts as one of 60 redeliveries a minute.',
    body: { schema: redeliverDeadRequest },
    answers: { 202: { description: 'The number of events, redelivered or counted.', data: models.redeliveryCount } },
    errors: ['TOO_MANY_REDELIVERIES'],
    handle: async (
      ctx,
      { db, changeTurns, account: { id: account_id, keyId: key_id }, body: { since, dryRun: dry_run } },
    ) => {
      const redeliver = () => db.call('api.redeliver_dead', { account_id, key_id, since, dry_run })
      const [answer] = await changeTurns(account_id, () => ctx.state.databaseTime(redeliver))
      if (answer === undefined) throw new Error('api.redeliver_dead returned no row')
      if (answer.count !== null) return replyUnstored(ctx, JSON.stringify({ count: answer.count }), 202)
      refuse(ctx, refusalOf(answer.result), { retryAfter: answer.retry_after ?? undefined })
    },
  }),
  route({
    method: 'post',
    path: '/b2b/events/:eventId/redeliver',
    access,
    id: 'redeliverEvent',
    tag,
    summary: 'Redeliver an event',
    description:
      'For an event that is `delivered` or `dead`: a new round of deliveries begins at once, with the same event id ' +
      'and the same body. At most once a minute for an event, and 60 times a minute in all. The body is optional.',
    params: { eventId: ofEvent },
    body: { schema: redeliveryRequest, description: 'The new address, if it changes.', optional: true },
    answers: { 202: { description: 'The event is queued.', data: deliveries } },
    errors: [
      ...(['INVALID_CALLBACK_URL', 'EVENT_NOT_FOUND', 'EVENT_NOT_FINAL'] as const),
      ...(['REDELIVERED_RECENTLY', 'TOO_MANY_REDELIVERIES'] as const),
    ],
    handle: async (
      ctx,
      { db, allowNetworks, changeTurns, account: { id: account_id, keyId: key_id }, params, body },
    ) => {
      const { callbackUrl: callback_url } = body
      if (callback_url !== null) requireGoodCallback(callback_url, allowNetworks)
      const asked = { account_id, key_id, event_id: params.eventId, callback_url }
      const redeliver = () => ctx.state.databaseTime(() => db.call('api.redeliver_event', asked))
      const [answer] = await changeTurns(account_id, redeliver)
      if (answer === undefined) throw new Error('api.redeliver_event returned no row')
      if (answer.result === 'started' && answer.body !== null) return replyUnstored(ctx, answer.body, 202)
      refuse(ctx, refusalOf(answer.result), { retryAfter: answer.retry_after ?? undefined })
    },
  }),
]
