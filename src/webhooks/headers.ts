import { signature } from '../messages/sign.ts'

/**
 * The headers of one delivery of an event (specification 6.1) and its content type. `now` is the time of this
 * attempt: every attempt is signed again over the same body.
 */
export function deliveryHeaders(event: {
  eventId: string
  eventType: string
  secret: string
  body: Buffer
  now: Date
}): Record<string, string> {
  const timestamp = Math.floor(event.now.getTime() / 1000)
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'User-Agent': 'Service-B2B-Webhook/1.0',
    'X-Idempotency-Key': event.eventId,
    'X-Webhook-Event': event.eventType,
    'X-Webhook-Timestamp': String(timestamp),
    'X-Webhook-Signature': signature(event.secret, timestamp, event.body),
  }
}
