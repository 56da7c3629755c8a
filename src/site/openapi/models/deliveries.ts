import * as v from 'valibot'
import { oneOf, time, uuid, wholeNumber } from './parts.ts'

export const deliveryError = v.nullable(
  v.pipe(
    v.string(),
    v.metadata({
      description:
        '`http_` and the status code that your receiver answered, `timeout`, `connection_error`, `tls_error`, ' +
        '`bad_response` (not HTTP), `name_not_resolved`, `blocked_address`, `invalid_url`, or `lost` (the end of ' +
        'the attempt is not known, it counts as a failure). There may be others. `null` if the event was ' +
        'delivered.',
      examples: ['timeout', 'http_503'],
    }),
  ),
)

/** The status of the webhook of an order. */
export const deliveries = v.object({
  eventId: uuid('The event’s id, the `X-Idempotency-Key` of its deliveries.'),
  state: oneOf(
    ['waiting', 'sending', 'delivered', 'dead', 'held'],
    '`dead`: a dead letter, not sent again automatically. `held`: the operators hold it back. Treat a state that ' +
      'you do not know as not final.',
  ),
  attempts: wholeNumber('The attempts of the present round.'),
  nextAttemptAt: v.nullable(time('When the next attempt is due, or was.')),
  lastStatus: v.nullable(wholeNumber('The status code that your receiver last answered.', 100)),
  lastError: deliveryError,
})
