import { eventId, eventsQuery, orderCode } from '../../../http/schemas.ts'
import * as examples from '../examples/deliveries.ts'
import { pathParameter, queryParameters } from '../json_schema.ts'
import { everywhere, keyChecks, keyChecksOfWrites, refusal, refusals } from '../refusals.ts'
import { jsonBody, ok } from '../replies.ts'
import type { Paths } from '../types.ts'

const unstored = { headers: ['Cache-Control'] as const }

const eventParameter = pathParameter(
  'eventId',
  'The `deliveries.eventId` of an order, or the `event_id` of a webhook.',
  eventId,
  '3c9a1f52-7d64-4b0e-8a27-1f0e9d8c7b6a',
)

/** What happened to an order, the events of an account, and their redelivery. */
export const deliveryPaths: Paths = {
  '/b2b/orders/{code}/timeline': {
    get: {
      operationId: 'getOrderTimeline',
      tags: ['Orders'],
      summary: 'Read the timeline of an order',
      description:
        'Placed, charged, sent to the supplier, settled item by item, refunded, and each delivery of its event, in order of time. ' +
        'Single attempts are kept for some months, and shown of the last 20 rounds.',
      parameters: [
        pathParameter('code', 'The order’s `code`.', orderCode, 'ord_4c0d9f6e1b7a42f38e5d2c1b0a998877'),
      ],
      responses: {
        200: ok('What happened.', 'OrderTimelineAnswer', examples.timelines, {
          headers: [...unstored.headers],
        }),
        ...refusals(['VALIDATION_ERROR', 'ORDER_NOT_FOUND']),
        ...keyChecks,
        ...everywhere,
      },
    },
  },
  '/b2b/events': {
    get: {
      operationId: 'listEvents',
      tags: ['Webhooks'],
      summary: 'List events',
      description:
        'The events about your orders, newest first, each with the state of its delivery. `state=dead` lists what nothing sends ' +
        'again by itself.',
      parameters: queryParameters(eventsQuery),
      responses: {
        200: ok('The events.', 'EventPage', examples.eventPages, { headers: [...unstored.headers] }),
        ...refusals(['VALIDATION_ERROR']),
        ...keyChecks,
        ...everywhere,
      },
    },
  },
  '/b2b/events/{eventId}': {
    get: {
      operationId: 'getEvent',
      tags: ['Webhooks'],
      summary: 'Read an event',
      parameters: [eventParameter],
      responses: {
        200: ok('The event.', 'EventAnswer', examples.events, { headers: [...unstored.headers] }),
        ...refusals(['VALIDATION_ERROR', 'EVENT_NOT_FOUND']),
        ...keyChecks,
        ...everywhere,
      },
    },
  },
  '/b2b/events/redeliver': {
    post: {
      operationId: 'redeliverDeadEvents',
      tags: ['Webhooks'],
      summary: 'Redeliver all dead events',
      description:
        'After an outage of your receiver: a new round begins for each event that died since then, at most 10,000 at once, the ' +
        'oldest first. With `dryRun` they are only counted. It counts as one of 60 redeliveries a minute.',
      requestBody: jsonBody('At most 64 KiB.', 'RedeliverDeadRequest', examples.redeliverDeadRequests),
      responses: {
        202: ok(
          'How many events are sent again, or would be.',
          'RedeliveryCountAnswer',
          examples.redeliveryCounts,
          {
            headers: [...unstored.headers],
          },
        ),
        ...refusals(['VALIDATION_ERROR', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']),
        ...keyChecksOfWrites,
        ...everywhere,
        429: refusal(
          ['RATE_LIMITED', 'TOO_MANY_REDELIVERIES'],
          'The budget of the client’s address is used up until the window ends; or you asked for 60 redeliveries within the last minute.',
          { headers: ['Retry-After'] },
        ),
      },
    },
  },
  '/b2b/events/{eventId}/redeliver': {
    post: {
      operationId: 'redeliverEvent',
      tags: ['Webhooks'],
      summary: 'Redeliver an event',
      description:
        'For an event of yours that was delivered, or that nothing sends again by itself (`dead`): a new round over the retry ladder ' +
        'begins at once, with the same event id and the same body. At most once a minute for an event, and 60 times a minute in all. No body is needed, but for another address.',
      parameters: [eventParameter],
      requestBody: {
        ...jsonBody(
          'Where it goes from now on; needed only if that changes.',
          'RedeliveryRequest',
          examples.redeliveryRequests,
        ),
        required: false,
      },
      responses: {
        202: ok('The event is on its way again.', 'RedeliveryAnswer', examples.redeliveries, {
          headers: [...unstored.headers],
        }),
        ...refusals([
          ...(['VALIDATION_ERROR', 'INVALID_CALLBACK_URL', 'EVENT_NOT_FOUND', 'EVENT_NOT_FINAL'] as const),
          ...(['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const),
        ]),
        ...keyChecksOfWrites,
        ...everywhere,
        429: refusal(
          ['RATE_LIMITED', 'REDELIVERED_RECENTLY', 'TOO_MANY_REDELIVERIES'],
          'The budget of the client’s address is used up until the window ends; or you have had this event redelivered within the ' +
            'last minute, or 60 events.',
          { headers: ['Retry-After'] },
        ),
      },
    },
  },
}
