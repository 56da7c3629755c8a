import type { LeasedAttempt } from '../../tasks/deliver_webhook.ts'
import { clock } from '../clock.ts'
import { correlationHeaders } from '../messages/correlation.ts'
import { owners, type Sealing, Unreadable } from '../sealing/sealing.ts'
import { deliveryHeaders } from '../webhooks/headers.ts'
import type { Sender, SendOutcome } from '../webhooks/send.ts'

/**
 * Sends an event for `tasks/deliver_webhook.ts`: opens its codes and its account's secret, and signs it with the
 * present time. `aliveUntil`: as of the heartbeat. Specification 6.1.
 */
export async function sendEvent(
  sender: Sender,
  attempt: LeasedAttempt & { secret: string },
  sealing: Sealing,
  aliveUntil: () => number,
): Promise<SendOutcome> {
  const { event_id: eventId, event_type: eventType, callback_url: url } = attempt
  let body: Buffer
  let secret: string
  try {
    secret = sealing.open(attempt.secret, owners.account(attempt.account_id))
    body = Buffer.from(await sealing.openCodes(attempt.body), 'utf8')
  } catch (error) {
    if (error instanceof Unreadable) return { kind: 'unsent', error: error.message }
    throw error
  }
  const headers = deliveryHeaders({ eventId, eventType, secret, body, now: clock.now() })
  const maySend = () => performance.now() < Math.min(attempt.sendBefore, aliveUntil())
  return sender.send({ url, headers: { ...correlationOf(attempt), ...headers }, body, maySend })
}

// The receiver gets the request's id only if the partner chose that id.
function correlationOf(attempt: LeasedAttempt): Record<string, string> {
  const { request_id: requestId, request_id_given: isGiven, traceparent } = attempt
  return correlationHeaders({ requestId: isGiven === true ? requestId : null, traceparent })
}
