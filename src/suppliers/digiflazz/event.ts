import { createHash, createHmac } from 'node:crypto'
import * as v from 'valibot'
import { parseJson } from '../../messages/json.ts'
import { isSameSecret } from '../../messages/sign.ts'
import type { Ending, ReadEvent, SupplierEvent } from '../adapter.ts'
import { eventAbout } from '../event.ts'

const eventSchema = v.object({ data: v.object({ ref_id: v.string(), status: v.optional(v.unknown()) }) })
const endings = new Map<unknown, Ending>([
  ['Sukses', 'delivered'],
  ['Gagal', 'failed'],
])

/**
 * Verifies an event (`X-Hub-Signature`) and returns its item. An event has no id, so the digest of its body is its name.
 * It has no time either: who has recorded one can send it again, which only makes the worker ask.
 */
export function readDigiflazzEvent({ headers, rawBody, secret }: SupplierEvent): ReadEvent {
  const given = headers['x-hub-signature']
  const expected = `sha1=${createHmac('sha1', secret).update(rawBody).digest('hex')}`
  const isAuthentic = secret !== '' && typeof given === 'string' && isSameSecret(given, expected)
  if (!isAuthentic) return { ok: false, problem: 'bad_signature' }
  if (!['create', 'update'].includes(String(headers['x-digiflazz-event']))) return { ok: false, problem: 'ignored' }
  const event = v.safeParse(eventSchema, parseJson(rawBody)?.value)
  if (!event.success) return { ok: false, problem: 'malformed' }
  const { ref_id: reference, status } = event.output.data
  return eventAbout(reference, createHash('sha256').update(rawBody).digest('hex'), endings.get(status))
}
