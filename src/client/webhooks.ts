import { createHmac, timingSafeEqual } from 'node:crypto'
import type { OrderCompletedEvent, OrderFailedEvent } from './types.ts'

/** The body of a webhook. Tell the two apart by `event_type`. */
export type OrderEvent = OrderCompletedEvent | OrderFailedEvent

export type VerifyOptions = {
  /** The account's signing secret, 64 hexadecimal characters, from the operators. */
  secret: string
  /** The headers of the request: Node's `request.headers`, a `Headers`, or names with values. */
  headers: { get(name: string): string | null } | { [name: string]: string | string[] | undefined }
  /** The body as it came, before any parser touched it. */
  rawBody: Uint8Array | string
  /** The time; the present, unless given. */
  now?: Date
  /** How far the signed time may be from `now`, either way, in seconds; 300 unless given. */
  tolerance?: number
}

/**
 * `ok`: it is authentic and fresh. `event` is null where its type is one that this version does not know: answer 2xx
 * and do nothing. Not `ok`: answer with `status`; `reason` is for your log.
 */
export type WebhookVerdict =
  | { ok: true; eventId: string; eventType: string; event: OrderEvent | null }
  | { ok: false; status: 400 | 401; reason: string }

/**
 * Verifies a webhook over its raw body, in constant time, before anything parses it: the signature, the age of the
 * timestamp, and that `X-Idempotency-Key`, which the signature does not cover, is the `event_id` of the body.
 *
 * Never throws for what the sender sent. Throws a TypeError where `secret` is no secret, or `rawBody` was parsed.
 *
 * Events come at least once: store `eventId` under a unique constraint, in the transaction of what the event changes,
 * and where it is there already, change nothing and answer 2xx.
 */
export function verifyWebhook(options: VerifyOptions): WebhookVerdict {
  const { headers, rawBody } = options
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array))
    throw new TypeError(
      'rawBody has to be the bytes of the body as they came, not what a parser made of them',
    )
  const forgery = forgeryOf(options)
  if (forgery !== undefined) return { ok: false, status: 401, reason: forgery }
  const event = parse(rawBody)
  if (event === undefined) return { ok: false, status: 400, reason: 'the body is no event' }
  const { event_id: eventId, event_type: eventType } = event
  const key = headerOf(headers, 'x-idempotency-key')
  if (key === undefined) return { ok: false, status: 400, reason: 'no X-Idempotency-Key' }
  if (key !== eventId) return { ok: false, status: 400, reason: 'X-Idempotency-Key is not the event_id' }
  const isKnown = eventType === 'order.completed' || eventType === 'order.failed'
  return { ok: true, eventId, eventType, event: isKnown ? (event as OrderEvent) : null }
}

/** Why it cannot be trusted; undefined if it can. */
function forgeryOf({ secret, headers, rawBody, now = new Date(), tolerance = 300 }: VerifyOptions) {
  if (!/^[0-9a-fA-F]{64}$/.test(secret)) throw new TypeError('the secret is not 64 hexadecimal characters')
  const given = headerOf(headers, 'x-webhook-signature')
  const timestamp = headerOf(headers, 'x-webhook-timestamp')
  if (given === undefined) return 'no X-Webhook-Signature'
  if (timestamp === undefined) return 'no X-Webhook-Timestamp'
  if (!/^[0-9]{1,12}$/.test(timestamp)) return 'X-Webhook-Timestamp is no time'
  // The characters of the secret are the key as they stand, not decoded from hexadecimal.
  const hmac = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody)
  const expected = Buffer.from(`sha256=${hmac.digest('hex')}`)
  const actual = Buffer.from(given)
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return 'wrong signature'
  const age = Math.floor(now.getTime() / 1000) - Number(timestamp)
  // Also where the age is no number, because `now` or `tolerance` is none.
  if (Math.abs(age) <= tolerance) return undefined
  return `stale: signed ${Math.abs(age)} s ${age > 0 ? 'ago' : 'ahead'}`
}

/** A header that came twice is worth no more than none. */
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
