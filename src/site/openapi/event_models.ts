import * as v from 'valibot'
import { cdKey } from './models.ts'

const text = (description: string) => v.pipe(v.string(), v.description(description))
const money = (description: string) => v.pipe(v.number(), v.description(description))
const time = (description: string) => v.pipe(v.string(), v.isoTimestamp(), v.description(description))

const envelope = {
  event_id: v.pipe(
    v.string(),
    v.uuid(),
    v.description('Equals `X-Idempotency-Key`; the same in every delivery of the event.'),
  ),
}
const occurredAt = time('When the order became final.')

const aboutOrder = {
  orderCode: text('The order’s code.'),
  externalOrderId: text('Your own reference.'),
  totalAmount: money('What was charged.'),
}

export const eventItem = v.object({
  productName: text('The product’s name.'),
  amount: v.pipe(v.number(), v.integer(), v.minValue(1), v.description('The quantity.')),
  price: money('What one cost.'),
  cdKeys: v.optional(
    v.pipe(v.array(cdKey), v.description('The keys, of a product that delivers keys. A top-up has none.')),
  ),
})

/** The body of `order.completed` (specification 6.2). */
export const orderCompleted = v.object({
  ...envelope,
  event_type: v.literal('order.completed'),
  occurred_at: occurredAt,
  data: v.object({
    ...aboutOrder,
    status: v.literal('completed'),
    items: v.pipe(v.array(eventItem), v.minLength(1)),
    completedAt: time('When the order became final.'),
  }),
})

/** The body of `order.failed` (specification 6.2). */
export const orderFailed = v.object({
  ...envelope,
  event_type: v.literal('order.failed'),
  occurred_at: occurredAt,
  data: v.object({
    ...aboutOrder,
    status: v.literal('failed'),
    error: v.pipe(v.literal('ORDER_FAILED'), v.description('Always this text: for programs.')),
    reason: v.nullable(
      text('Why, in Russian, for buyers, without links; `null` if the supplier gave no reason.'),
    ),
    completedAt: time('When the order became final.'),
  }),
})
