import { createHmac, timingSafeEqual } from 'node:crypto'
import type { OrderCompletedEvent, OrderFailedEvent } from './types.ts'

/** The body of a webhook. `event_type` tells the two apart. */
export type OrderEvent = OrderCompletedEvent | OrderFailedEvent

export type VerifyOptions = {
  /** The account's signing secret, 64 hexadecimal characters, from the operators. */
  secret: string
  /** The headers of the request: Node's `request.headers`, a `Headers`, or an object of names and values. */
  headers: { get(name: string): string | null } | { [name: string]: string | string[] | undefined }
  /** The bytes of the body as they arrived, before any parser. */
  rawBody: Uint8Array | string
  /** The time: now unless given. */
  now?: Date
  /** How many seconds the signed time may be away from `now`: 300 unless given. */
  tolerance?: number
}

/**
 * `ok`: the webhook is authentic and fresh. `event` is null if this version does not know its type: answer 2xx and do
 * nothing. Not `ok`: answer with `status`; `reason` is for your log.
 */
export type WebhookVerdict =
  | { ok: true; eventId: string; eventType: string; event: OrderEvent | null }
  | { ok: false; status: 400 | 401; reason: string }

/**
 * Verifies a webhook over its raw body: the signature in constant time, the age of the timestamp, and that
 * `X-Idempotency-Key`, which is not signed, equals the `event_id` of the body.
 *
 * It throws a TypeError for a wrong `secret` or a parsed `rawBody`, never for what the sender sent. Events arrive at
 * least once: store `eventId` under a unique constraint, together with what the event changes.
 */
export function verifyWebhook(options: VerifyOptions): WebhookVerdict {
  const { headers, rawBody } = options
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array))
    throw new TypeError('rawBody must be the bytes of the body as they arrived, not a parsed body')
  const forgery = forgeryOf(options)
  if (forgery !== undefined) return { ok: false, status: 401, reason: forgery }
  const event = parse(rawBody)
  if (event === undefined) return { ok: false, status: 400, reason: 'the body is not an event' }
  const { event_id: eventId, event_type: eventType } = event
  const key = headerOf(headers, 'x-idempotency-key')
  if (key === undefined) return { ok: false, status: 400, reason: 'no X-Idempotency-Key' }
  if (key !== eventId) return { ok: false, status: 400, reason: 'X-Idempotency-Key is not the event_id' }
  const isKnown = eventType === 'order.completed' || eventType === 'order.failed'
  return { ok: true, eventId, eventType, event: isKnown ? (event as OrderEvent) : null }
}

/** Why the webhook cannot be trusted; undefined if it can. */
function forgeryOf({ secret, headers, rawBody, now = new Date(), tolerance = 300 }: VerifyOptions) {
  if (!/^[0-9a-fA-F]{64}$/.test(secret)) throw new TypeError('the secret is not 64 hexadecimal characters')
  const given = headerOf(headers, 'x-webhook-signature')
  const timestamp = headerOf(headers, 'x-webhook-timestamp')
  if (given === undefined) return 'no X-Webhook-Signature'
  if (timestamp === undefined) return 'no X-Webhook-Timestamp'
  if (!/^[0-9]{1,12}$/.test(timestamp)) return 'X-Webhook-Timestamp is not a Unix time'
  // The key is the secret's characters themselves, not the bytes that they encode.
  const hmac = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody)
  const expected = Buffer.from(`sha256=${hmac.digest('hex')}`)
  const actual = Buffer.from(given)
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return 'wrong signature'
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp)
  // An age of NaN, from an invalid `now`, is stale as well.
  if (Math.abs(age) <= tolerance) return undefined
  return `stale: signed ${Math.abs(age)} s ${age > 0 ? 'ago' : 'ahead'}`
}

/** The value of a header. One that was sent twice counts as absent. */
function headerOf(headers: VerifyOptions['headers'], name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const found = Object.entries(headers).filter(([given]) => given.toLowerCase() === name)
  const values = found.flatMap(([, value]) => value ?? [])
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : undefined
}

type Envelope = { event_id: string; event_type: string }

function parse(rawBody: Uint8Array | string): Envelope | undefined {
  try {
    const text = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody)
    const value: Partial<Envelope> | null = JSON.parse(text)
    const { event_id, event_type } = value ?? {}
    if (typeof event_id !== 'string' || typeof event_type !== 'string') return undefined
    return { ...value, event_id, event_type }
  } catch {
    return undefined
  }
}
