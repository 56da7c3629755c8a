import { createHash, timingSafeEqual } from 'node:crypto'
import * as v from 'valibot'
import { parseJson } from '../../messages/json.ts'
import { isStorable } from '../../messages/storable.ts'
import type { ReadEvent, SupplierEvent } from '../adapter.ts'

const text = v.pipe(v.string(), v.maxLength(64), v.check(isStorable))
const eventSchema = v.object({
  orderId: v.pipe(text, v.minLength(1)),
  orderExternalId: v.nullish(v.string(), null),
  status: text,
  updatedAt: text,
})
const uuid = v.pipe(v.string(), v.uuid())

/**
 * Reads an event: `order.status` is about an order. It carries our secret as it is, and its body is not signed, so that
 * all it can be is a reason to ask.
 */
export function readKinguinEvent({ headers, rawBody, secret }: SupplierEvent): ReadEvent {
  if (secret === '' || !isSame(headers['x-event-secret'], secret)) return { ok: false, problem: 'bad_signature' }
  if (headers['x-event-name'] !== 'order.status') return { ok: false, problem: 'ignored' }
  const event = v.safeParse(eventSchema, parseJson(rawBody)?.value)
  if (!event.success) return { ok: false, problem: 'malformed' }
  const { orderId, orderExternalId, status, updatedAt } = event.output
  const reference = orderExternalId?.toLowerCase()
  if (!v.is(uuid, reference)) return { ok: false, problem: 'ignored' }
  return { ok: true, eventId: `${orderId} ${status} ${updatedAt}`, reference }
}

/** Compares in a time that depends on neither text. */
function isSame(given: string | string[] | undefined, secret: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest()
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(secret))
}
