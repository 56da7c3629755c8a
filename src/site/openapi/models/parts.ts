import * as v from 'valibot'
import { orderCode } from '../../../http/schemas.ts'

/** The parts of the models. The models describe what SQL renders; the tests check every answer against them. */

export const text = (description: string) => v.pipe(v.string(), v.description(description))
export const url = (description: string) => v.pipe(v.string(), v.url(), v.description(description))
export const uuid = (description: string) => v.pipe(v.string(), v.uuid(), v.description(description))
export const time = (description: string) => v.pipe(v.string(), v.isoTimestamp(), v.description(description))
export const code = (description: string) => v.pipe(orderCode, v.description(description))
export const flag = (description: string) => v.pipe(v.boolean(), v.description(description))
export const money = (description: string) => v.pipe(v.number(), v.description(`${description} At most two decimals.`))
export const wholeNumber = (description: string, min = 0) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.description(description))
export const listOf = <Schema extends v.GenericSchema>(entries: Schema, description: string) =>
  v.pipe(v.array(entries), v.description(description))
export const oneOf = <const Values extends string[]>(values: Values, description: string) =>
  v.pipe(v.picklist(values), v.description(description))

export const currency = v.pipe(v.string(), v.regex(/^[A-Z]{3}$/), v.description('ISO 4217.'))
export const eventTypes: ['order.completed', 'order.failed'] = ['order.completed', 'order.failed']

/** A page of a list, and where the next one begins. */
export const pagination = v.object({
  limit: wholeNumber('The limit of the request.', 1),
  nextCursor: v.nullable(text('The `cursor` of the next page; `null` on the last page.')),
  hasMore: flag('True if there is a next page.'),
})

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
