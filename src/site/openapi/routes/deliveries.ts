import { eventId, orderCode } from '../../../http/schemas.ts'
import * as examples from '../examples/deliveries.ts'
import { pathParameter } from '../json_schema.ts'
import { everywhere, keyChecks, keyChecksOfWrites, refusal, refusals } from '../refusals.ts'
import { ok } from '../replies.ts'
import type { Paths } from '../types.ts'

const unstored = { headers: ['Cache-Control'] as const }

/** What became of an order and its event, and asking for a redelivery. */
export const deliveryPaths: Paths = {
  '/b2b/orders/{code}/timeline': {
    get: {
      operationId: 'getOrderTimeline',
      tags: ['Orders'],
      summary: 'What happened to an order',
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
  '/b2b/events/{eventId}/redeliver': {
    post: {
      operationId: 'redeliverEvent',
      tags: ['Webhooks'],
      summary: 'Have an event sent again',
      description:
        'For an event of yours that was delivered, or that nothing sends again by itself (`dead`): a new round over the retry ladder ' +
        'begins at once, with the same event id and the same body. At most once a minute for an event, and 60 times a minute in all. No body is needed.',
      parameters: [
        pathParameter(
          'eventId',
          'The `deliveries.eventId` of an order, or the `event_id` of a webhook.',
          eventId,
          '3c9a1f52-7d64-4b0e-8a27-1f0e9d8c7b6a',
        ),
      ],
      responses: {
        202: ok('The event is on its way again.', 'RedeliveryAnswer', examples.redeliveries, {
          headers: [...unstored.headers],
        }),
        ...refusals(['VALIDATION_ERROR', 'EVENT_NOT_FOUND', 'EVENT_NOT_FINAL']),
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
