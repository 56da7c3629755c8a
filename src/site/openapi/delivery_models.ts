import * as v from 'valibot'
import { code, money, text, time, wholeNumber } from './model_parts.ts'

/** The status of an order's event and the history of the order, as schemas. */

const deliveryError = v.pipe(
  v.nullable(v.string()),
  v.metadata({
    description:
      '`http_` and the status that your receiver answered, `timeout`, `connection_error`, `tls_error`, `bad_response` (no HTTP), ' +
      '`name_not_resolved`, `blocked_address`, `invalid_url`, or `lost`: the end of the attempt is not known, it counts as a failure. ' +
      'There may be others. `null` where it was delivered.',
    examples: ['timeout', 'http_503'],
  }),
)

export const deliveries = v.object({
  eventId: v.pipe(
    v.string(),
    v.uuid(),
    v.description('The event’s id, the `X-Idempotency-Key` of its deliveries.'),
  ),
  state: v.pipe(
    v.picklist(['waiting', 'sending', 'delivered', 'dead', 'held']),
    v.description(
      '`dead`: nothing sends it again by itself. `held`: the operators keep it back for now. Take one that you do not know as not final.',
    ),
  ),
  attempts: wholeNumber('How often it was tried in the present round.'),
  nextAttemptAt: v.nullable(time('When the next attempt is due, or was.')),
  lastStatus: v.nullable(wholeNumber('What your receiver last answered.', 100)),
  lastError: deliveryError,
})

export const event = v.object({
  ...deliveries.entries,
  eventType: v.picklist(['order.completed', 'order.failed']),
  orderCode: code('The order that it is about.'),
  externalOrderId: text('Your own reference of that order.'),
  callbackUrl: text('Where it is sent.'),
  createdAt: time('When it was made: when the order ended.'),
})

const timelineEntry = v.object({
  at: time('When it happened.'),
  what: v.pipe(
    v.picklist([
      ...(['placed', 'charged', 'sent_to_supplier', 'item_completed', 'item_failed'] as const),
      ...(['order_completed', 'order_failed', 'refunded', 'event_created', 'round_started'] as const),
      ...(['delivery_attempt', 'delivered', 'given_up'] as const),
    ]),
    v.description(
      '`round_started`: the event is sent again, as you or the operators asked. `given_up`: the event is a dead letter. There may be ' +
        'others; pass over what you do not know.',
    ),
  ),
  itemId: v.nullable(v.pipe(v.string(), v.uuid(), v.description('The item that it is about.'))),
  amount: v.nullable(money('Of `charged` and `refunded`: how much.')),
  round: v.nullable(wholeNumber('Of deliveries: the round, from 1.', 1)),
  attempt: v.nullable(wholeNumber('Of deliveries: which attempt of the round, 1 to 9.', 1)),
  status: v.nullable(wholeNumber('Of an attempt: what your receiver answered.', 100)),
  error: deliveryError,
  nextAttemptAt: v.nullable(time('Of an attempt that failed: for when the next one was planned.')),
})

export const orderTimeline = v.object({
  code: code('The order’s code.'),
  entries: v.pipe(v.array(timelineEntry), v.description('In order of time.')),
})
