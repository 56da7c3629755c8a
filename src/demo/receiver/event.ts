import * as v from 'valibot'
import { parseJson } from '../../messages/json.ts'

const envelope = { event_id: v.string(), occurred_at: v.string() }

const order = { orderCode: v.string(), externalOrderId: v.string(), totalAmount: v.number(), completedAt: v.string() }

const cdKey = v.looseObject({
  code: v.string(),
  pin: v.optional(v.string()),
  serial: v.optional(v.string()),
  url: v.optional(v.string()),
  expiresAt: v.optional(v.string()),
})

const item = v.looseObject({
  productName: v.string(),
  amount: v.number(),
  price: v.number(),
  cdKeys: v.optional(v.array(cdKey)),
})

const completedSchema = v.looseObject({
  ...envelope,
  event_type: v.literal('order.completed'),
  data: v.looseObject({ ...order, status: v.literal('completed'), items: v.array(item) }),
})

const failedSchema = v.looseObject({
  ...envelope,
  event_type: v.literal('order.failed'),
  data: v.looseObject({ ...order, status: v.literal('failed'), error: v.string(), reason: v.nullable(v.string()) }),
})

const anyEventSchema = v.looseObject({ ...envelope, event_type: v.string() })
const orderEventSchema = v.variant('event_type', [completedSchema, failedSchema])

/** An event about an order (specification 2.4 and 6.2); `event_type` tells which. Fields may be added to it. */
export type OrderEvent = v.InferOutput<typeof orderEventSchema>

/** A parsed body; `problem` is a short text for a person. */
export type Parsed =
  | { kind: 'event'; eventId: string; event: OrderEvent }
  | { kind: 'unknown type'; eventId: string; problem: string }
  | { kind: 'malformed'; problem: string }

/**
 * Parses the body of a webhook, after its signature was verified. The type of the event is `event_type` in the body,
 * as specification 6.1 demands, not by a header. Other fields are kept, for the service may add some. An event of
 * another type than the two is not malformed: a receiver takes it and ignores it.
 */
export function parseEvent(body: Buffer): Parsed {
  const json = parseJson(body)
  if (json === undefined) return { kind: 'malformed', problem: 'the body is no JSON' }
  const any = v.safeParse(anyEventSchema, json.value)
  if (!any.success) return malformed(any.issues[0])
  const { event_id: eventId, event_type: type } = any.output
  if (type !== 'order.completed' && type !== 'order.failed') {
    return { kind: 'unknown type', eventId, problem: `event_type ${type} is unknown here and was ignored` }
  }
  const event = v.safeParse(orderEventSchema, json.value)
  return event.success ? { kind: 'event', eventId, event: event.output } : malformed(event.issues[0])
}

function malformed(issue: v.BaseIssue<unknown>): Parsed {
  return { kind: 'malformed', problem: `the body is no event: ${v.getDotPath(issue) ?? 'it is no object'}` }
}
