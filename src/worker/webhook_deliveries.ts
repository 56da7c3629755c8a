import { batch } from '../database/batch.ts'
import { callForIds, callNumbered } from '../database/batch_call.ts'
import type { Database, Functions } from '../database/client.ts'
import { correlationHeaders } from '../messages/correlation.ts'
import { deliveryHeaders } from '../webhooks/headers.ts'
import type { Sender, SendOutcome } from '../webhooks/send.ts'
import type { WorkerMetrics } from './metrics.ts'
import type { PromptDeliveries } from './prompt_deliveries.ts'
import { recordInBatches } from './results.ts'

/** An attempt to deliver an event: what to send, and the lease to record its outcome under. */
export type LeasedAttempt = Functions['work.begin_deliveries']['result'][number]

type FinishedAttempt = { eventId: string; claimId: string; result: SendOutcome }
type FinishedRow = Functions['work.finish_deliveries']['result'][number]

export type WebhookDeliveryOptions = {
  db: Database
  sender: Sender
  /** Make the attempts of events that get the slots of those that end, as many as they have places. */
  deliveries: Pick<PromptDeliveries, 'places' | 'deliver'>
  /** Are told what came of each attempt that was recorded, and how long after its order was placed a result was told. */
  metrics: Pick<WorkerMetrics, 'countDelivery' | 'observeToldOrder'>
}

/**
 * The deliveries of events: taking the leases of attempts, sending them and recording their outcomes. Concurrent calls
 * of `begin`, and of `finish`, share statements.
 */
export function createWebhookDeliveries({ db, sender, deliveries, metrics }: WebhookDeliveryOptions) {
  const begin = batch<string, LeasedAttempt | null>({
    run: (eventIds) => callForIds(eventIds, (ids) => db.call('work.begin_deliveries', { event_ids: ids })),
  })
  async function record(finished: FinishedAttempt[]): Promise<Map<number, FinishedRow>> {
    const to_send = deliveries.places()
    const rows = await callNumbered(finished, (results) =>
      db.call('work.finish_deliveries', { results, to_send }),
    )
    deliveries.deliver(rows.values())
    return rows
  }
  const finish = recordInBatches<FinishedAttempt, FinishedRow>({
    run: record,
    onRecorded: ({ verdict, told_seconds: seconds }) => {
      metrics.countDelivery(verdict)
      if (seconds !== null) metrics.observeToldOrder(seconds)
    },
    keyOf: ({ eventId }) => eventId,
  })
  return {
    /** Takes the lease of the attempt that is due for an event; null if none is. */
    begin: (eventId: string): Promise<LeasedAttempt | null> => begin(eventId),

    /** Sends the event, signed anew with the present time. Never rejects for what the outside world does. */
    send: (attempt: LeasedAttempt): Promise<SendOutcome> => {
      const body = Buffer.from(attempt.body, 'utf8')
      const headers = deliveryHeaders({
        eventId: attempt.event_id,
        eventType: attempt.event_type,
        secret: attempt.secret,
        body,
        now: new Date(),
      })
      return sender.send({
        url: attempt.callback_url,
        headers: { ...correlationOf(attempt), ...headers },
        body,
      })
    },

    /**
     * Records the outcome under the attempt's lease. Returns what became of the event: the verdict of the SQL function, or
     * busy as soon as another transaction has the event's lock.
     */
    finish: ({ event_id: eventId, claim_id: claimId }: LeasedAttempt, result: SendOutcome): Promise<string> =>
      finish({ eventId, claimId, result }),
  }
}

/** A receiver is told of the request as far as the partner named it itself; else the headers are those of specification 6.1. */
function correlationOf(attempt: LeasedAttempt): Record<string, string> {
  const { request_id: requestId, request_id_given: isGiven, traceparent } = attempt
  return correlationHeaders({ requestId: isGiven === true ? requestId : null, traceparent })
}
