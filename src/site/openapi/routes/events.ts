import { eventId, eventsQuery } from '../../../http/schemas.ts'
import * as examples from '../examples/events.ts'
import { eventId as exampleId } from '../examples/orders.ts'
import { pathParameter, queryParameters } from '../json_schema.ts'
import { jsonBody, ok, operation } from '../operation.ts'
import type { Paths } from '../types.ts'

const tag = 'Webhooks'
const eventParameter = pathParameter(
  'eventId',
  'The `deliveries.eventId` of an order, or the `event_id` of a webhook.',
  eventId,
  exampleId,
)

/** /b2b/events: the events of an account, and their redelivery. */
export const eventPaths: Paths = {
  '/b2b/events': {
    get: operation({
      id: 'listEvents',
      tag,
      summary: 'List events',
      description:
        'The events of your orders, newest first, each with the state of its delivery. `state=dead` lists the ' +
        'dead letters.',
      parameters: queryParameters(eventsQuery),
      answers: { 200: ok('The events.', 'EventPage', examples.eventPages) },
    }),
  },
  '/b2b/events/{eventId}': {
    get: operation({
      id: 'getEvent',
      tag,
      summary: 'Read an event',
      description: 'One event: its order, its address and the state of its delivery.',
      parameters: [eventParameter],
      answers: { 200: ok('The event.', 'EventAnswer', examples.events) },
      errors: ['EVENT_NOT_FOUND'],
    }),
  },
  '/b2b/events/redeliver': {
    post: operation({
      id: 'redeliverDeadEvents',
      tag,
      summary: 'Redeliver all dead letters',
      description:
        'For the time after an outage of your receiver: a new round of deliveries begins for each event that ' +
        'became a dead letter since then, the oldest first, at most 10,000 at once. With `dryRun` the service ' +
        'only counts them. The request counts as one of 60 redeliveries a minute.',
      access: 'keyForWrites',
      body: jsonBody('RedeliverDeadRequest', examples.redeliverDeadRequests),
      answers: {
        202: ok('The number of events, redelivered or counted.', 'RedeliveryCountAnswer', examples.redeliveryCounts),
      },
      errors: ['TOO_MANY_REDELIVERIES'],
    }),
  },
  '/b2b/events/{eventId}/redeliver': {
    post: operation({
      id: 'redeliverEvent',
      tag,
      summary: 'Redeliver an event',
      description:
        'For an event that is `delivered` or `dead`: a new round of deliveries begins at once, with the same ' +
        'event id and the same body. At most once a minute for an event, and 60 times a minute in all. The body ' +
        'is optional.',
      access: 'keyForWrites',
      parameters: [eventParameter],
      body: {
        ...jsonBody('RedeliveryRequest', examples.redeliveryRequests, 'The new address, if it changes.'),
        required: false,
      },
      answers: { 202: ok('The event is queued.', 'RedeliveryAnswer', examples.redeliveries) },
      errors: [
        ...(['INVALID_CALLBACK_URL', 'EVENT_NOT_FOUND', 'EVENT_NOT_FINAL'] as const),
        ...(['REDELIVERED_RECENTLY', 'TOO_MANY_REDELIVERIES'] as const),
      ],
    }),
  },
}
