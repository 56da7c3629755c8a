import * as v from 'valibot'
import { type OrderEvent, verifyWebhook } from '../../client/index.ts'
import { signature } from '../../messages/sign.ts'

/** A received POST. Header names are in lower case. */
export type Delivery = { headers: Record<string, string>; body: Buffer; at: Date }

/**
 * The verdict on a delivery. The receiver answers a `refused` one with `status`, even if it is set to answer something
 * else. `event` of a `good` one is null if its type is unknown. `problem` is a short text for a person.
 */
export type Judgement =
  | { kind: 'refused'; verified: boolean | 'unknown'; status: 400 | 401; problem: string }
  | { kind: 'good'; verified: true | 'unknown'; eventId: string; event: OrderEvent | null; problem: string | null }

/** What the receiver shows of an event: without a secret anyone may have made it. */
const shown = v.looseObject({
  orderCode: v.string(),
  externalOrderId: v.string(),
  totalAmount: v.number(),
  status: v.picklist(['completed', 'failed']),
  reason: v.nullish(v.string()),
  items: v.optional(
    v.array(v.object({ amount: v.number(), productName: v.string(), cdKeys: v.optional(v.array(v.looseObject({}))) })),
    () => [],
  ),
})

const ownSecret = '0'.repeat(64)

/**
 * Judges a delivery as the partners' client does (specification 6.1 and 6.3). Without a secret nothing can be verified:
 * the delivery is judged by its body alone, as if it had been signed now, and `verified` is `'unknown'`.
 */
export function judge({ headers: given, body: rawBody, at: now }: Delivery, secret: string | undefined): Judgement {
  const verified = secret === undefined ? 'unknown' : true
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signed = { 'x-webhook-timestamp': timestamp, 'x-webhook-signature': signature(ownSecret, timestamp, rawBody) }
  const headers = secret === undefined ? { ...given, ...signed } : given
  const verdict = verifyWebhook({ secret: secret ?? ownSecret, headers, rawBody, now })
  if (!verdict.ok) {
    const { status, reason: problem } = verdict
    return { kind: 'refused', verified: status === 401 ? false : verified, status, problem }
  }
  const { eventId, event } = verdict
  if (event === null) {
    const problem = `event_type ${verdict.eventType} is unknown here and was ignored`
    return { kind: 'good', verified, eventId, event, problem }
  }
  const [issue] = v.safeParse(v.looseObject({ data: shown }), event).issues ?? []
  if (issue === undefined) return { kind: 'good', verified, eventId, event, problem: null }
  const problem = `the body is not an event: ${v.getDotPath(issue)}`
  return { kind: 'refused', verified, status: 400, problem }
}
