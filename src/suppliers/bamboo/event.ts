import * as v from 'valibot'
import { parseJson } from '../../messages/json.ts'
import { isSameSecret } from '../../messages/sign.ts'
import type { Ending, ReadEvent, SupplierEvent } from '../adapter.ts'
import { eventAbout } from '../event.ts'

const secretSchema = v.object({ secretKey: v.string() })
const text = v.pipe(v.string(), v.maxLength(64))
const eventSchema = v.object({ requestId: text, status: text })
const endings = new Map<string, Ending>([
  ['Succeeded', 'delivered'],
  ['PartialFailed', 'delivered'],
  ['Failed', 'failed'],
])

/**
 * Reads a notification about an order. It has our secret in its body, and nothing is signed, so the worker only takes it
 * as a reason to ask. The names of its members may begin with a capital.
 */
export function readBambooEvent({ rawBody, secret }: SupplierEvent): ReadEvent {
  const body = Object.entries(Object(parseJson(rawBody)?.value)).map(([name, value]) => [
    `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
    value,
  ])
  const given = v.safeParse(secretSchema, Object.fromEntries(body))
  const isAuthentic = secret !== '' && given.success && isSameSecret(given.output.secretKey, secret)
  if (!isAuthentic) return { ok: false, problem: 'bad_signature' }
  const event = v.safeParse(eventSchema, Object.fromEntries(body))
  if (!event.success) return { ok: false, problem: 'malformed' }
  const { requestId, status } = event.output
  return eventAbout(requestId, `${requestId} ${status}`, endings.get(status))
}
