import * as v from 'valibot'
import { parseJson } from '../../messages/json.ts'
import { verify } from '../../messages/sign.ts'
import { isStorable } from '../../messages/storable.ts'
import type { Ending, ReadEvent, SupplierEvent } from '../adapter.ts'
import { eventAbout } from '../event.ts'

const eventSchema = v.object({
  event_id: v.pipe(v.string(), v.regex(/\S/), v.maxLength(200), v.check(isStorable)),
  event_type: v.string(),
  data: v.object({ externalOrderId: v.nullish(v.string(), null) }),
})

const endings = new Map<string, Ending>([
  ['order.completed', 'delivered'],
  ['order.failed', 'failed'],
])

/**
 * Verifies a webhook of an upstream against its raw body (specification 6.3) and returns the item that it is about. The
 * event's id is read from the body, because the header with the id is not signed.
 */
export function readUpstreamEvent({ headers, rawBody, secret, now }: SupplierEvent): ReadEvent {
  const signed = {
    timestamp: single(headers['x-webhook-timestamp']),
    signature: single(headers['x-webhook-signature']),
    body: rawBody,
  }
  if (secret === '' || !verify({ ...signed, secret, now })) return { ok: false, problem: 'bad_signature' }
  const event = v.safeParse(eventSchema, parseJson(rawBody)?.value)
  if (!event.success) return { ok: false, problem: 'malformed' }
  const { event_id: eventId, event_type: type, data } = event.output
  const says = endings.get(type)
  return eventAbout(says === undefined ? null : data.externalOrderId, eventId, says)
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined
}
