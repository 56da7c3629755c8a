import type { LeasedAttempt } from '../../tasks/deliver_webhook.ts'
import { correlationHeaders } from '../messages/correlation.ts'
import { deliveryHeaders } from '../webhooks/headers.ts'
import type { Sender, SendOutcome } from '../webhooks/send.ts'

/** Sends an event for `tasks/deliver_webhook.ts`, signed with the present time. Specification 6.1. */
export function sendEvent(sender: Sender, attempt: LeasedAttempt): Promise<SendOutcome> {
  const body = Buffer.from(attempt.body, 'utf8')
  const { event_id: eventId, event_type: eventType, secret, callback_url: url } = attempt
  const headers = deliveryHeaders({ eventId, eventType, secret, body, now: new Date() })
  return sender.send({ url, headers: { ...correlationOf(attempt), ...headers }, body })
}

// The receiver gets the request's id only where the partner chose it.
function correlationOf(attempt: LeasedAttempt): Record<string, string> {
  const { request_id: requestId, request_id_given: isGiven, traceparent } = attempt
  return correlationHeaders({ requestId: isGiven === true ? requestId : null, traceparent })
}
