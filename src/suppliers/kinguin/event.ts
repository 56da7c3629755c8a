import * as v from 'valibot'
import { parseJson } from '../../messages/json.ts'
import { isSameSecret } from '../../messages/sign.ts'
import { isStorable } from '../../messages/storable.ts'
import type { Ending, ReadEvent, SupplierEvent } from '../adapter.ts'
import { eventAbout } from '../event.ts'

const text = v.pipe(v.string(), v.maxLength(64), v.check(isStorable))
const eventSchema = v.object({
  orderId: v.pipe(text, v.minLength(1)),
  orderExternalId: v.nullish(v.string(), null),
  status: text,
  updatedAt: text,
})
const endings = new Map<string, Ending>([
  ['completed', 'delivered'],
  ['canceled', 'failed'],
  ['refunded', 'failed'],
])

/**
 * Reads an event: `order.status` is about an order. The event has our secret as plain text, and its body is not signed,
 * so the worker only takes it as a reason to ask for the order.
 */
export function readKinguinEvent({ headers, rawBody, secret }: SupplierEvent): ReadEvent {
  const given = headers['x-event-secret']
  const isAuthentic = secret !== '' && typeof given === 'string' && isSameSecret(given, secret)
  if (!isAuthentic) return { ok: false, problem: 'bad_signature' }
  if (headers['x-event-name'] !== 'order.status') return { ok: false, problem: 'ignored' }
  const event = v.safeParse(eventSchema, parseJson(rawBody)?.value)
  if (!event.success) return { ok: false, problem: 'malformed' }
  const { orderId, orderExternalId, status, updatedAt } = event.output
  const [eventId, says] = [`${orderId} ${status} ${updatedAt}`, endings.get(status)]
  if (orderExternalId === null) return { ok: true, eventId, supplierOrderId: orderId, ...(says && { says }) }
  return eventAbout(orderExternalId, eventId, says)
}
