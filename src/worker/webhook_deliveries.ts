import { batch } from '../database/batch.ts'
import type { Database, Functions } from '../database/client.ts'
import { deliveryHeaders } from '../webhook/headers.ts'
import type { Sender, SendOutcome } from '../webhook/send.ts'
import { claims, withRetries } from './leases.ts'

export type ClaimedAttempt = Functions['work.begin_deliveries']['result'][number]

export type WebhookDeliveryOptions = {
  db: Database
  sender: Sender
  /** Is told what came of each attempt that was recorded. */
  onRecorded: (verdict: string) => void
}

/** The deliveries of events: claiming, sending and recording them. Concurrent claims and records share statements. */
export function createWebhookDeliveries({ db, sender, onRecorded }: WebhookDeliveryOptions) {
  const begin = batch<string, ClaimedAttempt | null>({
    run: async (eventIds) =>
      claims(eventIds, await db.call('work.begin_deliveries', { event_ids: eventIds })),
  })
  const record = batch<{ eventId: string; claimId: string; result: SendOutcome }, string>({
    run: async (results) => {
      const numbered = results.map((result, index) => ({ ordinal: index + 1, ...result }))
      const rows = await db.call('work.finish_deliveries', { results: numbered })
      return new Map(rows.map((row) => [row.ordinal - 1, row.verdict]))
    },
  })
  return {
    /** Claims the attempt that is due for an event; null if none is. */
    begin: (eventId: string): Promise<ClaimedAttempt | null> => begin(eventId),

    /** Sends the event, signed anew with the present time. Never rejects for what the outside world does. */
    send: (attempt: ClaimedAttempt): Promise<SendOutcome> => {
      const body = Buffer.from(attempt.body, 'utf8')
      const headers = deliveryHeaders({
        eventId: attempt.event_id,
        eventType: attempt.event_type,
        secret: attempt.secret,
        body,
        now: new Date(),
      })
      return sender.send({ url: attempt.callback_url, headers, body })
    },

    /** Records the outcome under its claim and gives what came of it. */
    record: async (attempt: ClaimedAttempt, result: SendOutcome): Promise<string> => {
      const { event_id: eventId, claim_id: claimId } = attempt
      const verdict = await withRetries(() => record({ eventId, claimId, result }))
      onRecorded(verdict)
      return verdict
    },
  }
}
