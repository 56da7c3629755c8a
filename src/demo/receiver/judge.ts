import { verifyWebhook } from '../../client/index.ts'
import { type OrderEvent, parseEvent } from './event.ts'

/** A received POST. Header names are in lower case. */
export type Delivery = { headers: Record<string, string>; body: Buffer; at: Date }

/**
 * The verdict on a delivery. The receiver answers a `refused` one with `status`, even if it is set to answer something
 * else. `event` of a `good` one is null if its type is unknown. `problem` is a short text for a person.
 */
export type Judgement =
  | { kind: 'refused'; verified: boolean | 'unknown'; status: 400 | 401; problem: string }
  | { kind: 'good'; verified: true | 'unknown'; eventId: string; event: OrderEvent | null; problem: string | null }

/**
 * Judges a delivery as every receiver should (specification 6.1 and 6.3): first the signature over the raw body and the
 * age of the timestamp, and only then what the body says. Without a secret nothing can be verified: the delivery is
 * judged by its body alone, and `verified` is `'unknown'`.
 *
 * Refused are: a wrong or stale signature (401); a body that is no event, an `X-Idempotency-Key` that is missing or is
 * not the body's `event_id` (400). The latter matters because the signature covers the body, not that header: a
 * replay under another key would pass for a new event.
 */
export function judge(delivery: Delivery, secret: string | undefined): Judgement {
  const { headers, body: rawBody, at: now } = delivery
  const verdict = secret === undefined ? undefined : verifyWebhook({ secret, headers, rawBody, now })
  if (verdict?.ok === false && verdict.status === 401)
    return { kind: 'refused', verified: false, status: 401, problem: verdict.reason }
  const verified = verdict === undefined ? 'unknown' : true
  const parsed = parseEvent(rawBody)
  if (parsed.kind === 'malformed') {
    return { kind: 'refused', verified, status: 400, problem: parsed.problem }
  }
  const { eventId } = parsed
  const key = headers['x-idempotency-key']
  if (key !== eventId) {
    const problem = key === undefined ? 'no X-Idempotency-Key' : 'X-Idempotency-Key is not the event_id'
    return { kind: 'refused', verified, status: 400, problem }
  }
  return parsed.kind === 'event'
    ? { kind: 'good', verified, eventId, event: parsed.event, problem: null }
    : { kind: 'good', verified, eventId, event: null, problem: parsed.problem }
}
