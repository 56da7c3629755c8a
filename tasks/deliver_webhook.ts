import { randomBytes } from 'node:crypto'
import type { Task } from 'graphile-worker'
import { batch } from '../src/database/batch.ts'
import { callForIds } from '../src/database/batch_call.ts'
import type { Database, Functions } from '../src/database/client.ts'
import { recordResults } from '../src/database/record_results.ts'
import { type Log, safeError } from '../src/log.ts'
import { jobId } from '../src/messages/job_id.ts'
import { owners, type Sealing } from '../src/sealing/sealing.ts'
import { inSpan } from '../src/tracing/in_span.ts'
import type { Tracer } from '../src/tracing/tracer.ts'
import { type SendOutcome, webhookTimeoutMs } from '../src/webhooks/send.ts'

/** What recording results of calls or deliveries changed. */
export type Recorded = Functions['work.finish_calls']['result']

/**
 * An attempt to deliver an event: what to send, and the lease under which its result is recorded. It may be sent before
 * `sendBefore`, a time of `performance.now()`: until then the lease outlives it, whatever stopped this process meanwhile.
 */
export type LeasedAttempt = Recorded['attempts'][number] & { sendBefore: number }

type FinishedAttempt = { eventId: string; leaseToken: string; result: SendOutcome }

/**
 * The first attempts that this worker makes directly, without a job: SQL leased them with the result that they deliver.
 */
export type FirstAttempts = {
  /**
   * Makes a call that records results, with the arguments by which it leases attempts: how many may begin now, and the
   * worker pool that makes them. Begins these.
   */
  lease(call: (request: { to_send: number; pool_id: string | null }) => Promise<Recorded>): Promise<Recorded>
  /** Requests no more attempts, and resolves when those under way have ended. */
  end(): Promise<void>
}

// Large bodies as `core.delivery_limits` defines them, and how many bytes of them may be under way before the next one
// waits: two of 10,000 codes.
const largeBytes = 65_536
const maxLargeBytes = 4_194_304

const withoutDeadLetter = new Set<string | null>(['delivered', 'retry', 'unsent', 'stale', 'refused_sample', null])

/** The lease of an attempt, in milliseconds, as `core.lease_attempts` defines it. */
export const attemptLeaseMs = 30_000

export type DeliverWebhookOptions = {
  db: Database
  /** Sends the event, signed with the current time. Never rejects because of a receiver or the network. */
  send: (attempt: LeasedAttempt & { secret: string }) => Promise<SendOutcome>
  /** How many first attempts may be under way at once. */
  maxFirstAttempts: number
  /** A worker pool of this process: when its heartbeat stops, the leases of its first attempts end. */
  poolId: () => string | null
  metrics: { countDelivery(verdict: string): void; observeNotifiedOrder(seconds: number): void }
  sealing: Sealing
  log: Log
  tracer: Tracer
}

/**
 * Makes the task that delivers an event, if an attempt is due. The worker leases the attempt, and with that counts it,
 * before it sends: no crash can add an attempt. Recording the result delivers the event, adds the job of the next rung
 * of the retry ladder, or makes a dead letter. `firstAttempts` go the same way, without a job. Specification 6.3 to
 * 6.6.
 */
export function createDeliverWebhook(options: DeliverWebhookOptions): { task: Task; firstAttempts: FirstAttempts } {
  const { db, send, metrics, sealing, log, tracer } = options
  let largeUnderWay = 0

  const lease = batch<string, LeasedAttempt | null>({
    run: (eventIds) =>
      callForIds(eventIds, async (event_ids) => {
        const calledAt = performance.now()
        const max_bytes = Math.max(0, maxLargeBytes - largeUnderWay)
        const attempts = await db.call('work.begin_deliveries', { event_ids, max_bytes })
        for (const { body } of attempts) largeUnderWay += largeBytesOf(body)
        return attempts.map((attempt) => ({
          ...attempt,
          ordinal: event_ids.indexOf(attempt.event_id) + 1,
          sendBefore: sendBefore(calledAt),
        }))
      }),
    // A job that fails because the database is unavailable would wait for seconds.
    maxRetries: Number.POSITIVE_INFINITY,
  })

  const record = recordResults<FinishedAttempt>({
    run: async (results) => {
      // Leases events that waited for the slots of these attempts.
      const { answers, ended } = await firstAttempts.lease((request) =>
        db.call('work.finish_deliveries', { results, ...request }),
      )
      for (const { seconds } of ended) metrics.observeNotifiedOrder(seconds)
      return answers
    },
    onRecorded: metrics.countDelivery,
    keyOf: ({ eventId }) => eventId,
  })

  const deliver = (leased: LeasedAttempt) =>
    inSpan(tracer, 'webhook delivery', leased, async (attempt) => {
      const { event_id: event, lease_token: leaseToken, event_type: type } = attempt
      const secret = attempt.secret ?? (await makeSecret(db, sealing, attempt.account_id))
      const result = await send({ ...attempt, secret })
      const verdict = await record({ eventId: event, leaseToken, result })

      const status = result.kind === 'answered' ? result.status : null
      const attributes = { event, type, attempt: attempt.attempt, status, outcome: result.kind, verdict }
      // One alert counts many dead letters; the log names each.
      log[withoutDeadLetter.has(verdict) ? 'info' : 'error'](attributes, 'delivery')
      return { attributes, failed: verdict !== 'delivered' }
    })

  const firstAttempts = createFirstAttempts(deliver, options)
  return {
    task: async (payload) => {
      const attempt = await lease(jobId(payload))
      if (attempt === null) return
      await deliver(attempt).finally(() => {
        largeUnderWay -= largeBytesOf(attempt.body)
      })
    },
    firstAttempts,
  }
}

/** How many bytes a large body has; 0: it is not large. */
function largeBytesOf(body: string): number {
  return body.length > largeBytes ? body.length : 0
}

/** Makes the account's secret at its first delivery, and returns it as it is stored. Specification 2.5. */
function makeSecret(db: Database, sealing: Sealing, account_id: number): Promise<string> {
  return sealing.store(async () => {
    // guard: the secret of an account is sealed
    const secret = sealing.seal(randomBytes(32).toString('hex'), owners.account(account_id))
    return (await db.call('work.keep_webhook_secret', { account_id, secret })) ?? secret
  })
}

/** The lease began in the database after the call. */
function sendBefore(calledAt: number): number {
  return calledAt + attemptLeaseMs - webhookTimeoutMs
}

function createFirstAttempts(
  deliver: (attempt: LeasedAttempt) => Promise<void>,
  { maxFirstAttempts, poolId, log }: DeliverWebhookOptions,
): FirstAttempts {
  const underWay = new Set<Promise<void>>()
  let isEnding = false

  return {
    async lease(call) {
      const to_send = isEnding ? 0 : Math.max(0, maxFirstAttempts - underWay.size)
      const calledAt = performance.now()
      const recorded = await call({ to_send, pool_id: poolId() })
      for (const attempt of recorded.attempts) {
        const delivery = deliver({ ...attempt, sendBefore: sendBefore(calledAt) })
          .catch((error) => {
            log.warn(
              { event: attempt.event_id, error: safeError(error) },
              'delivery abandoned: retried when its lease expires',
            )
          })
          .finally(() => underWay.delete(delivery))
        underWay.add(delivery)
      }
      return recorded
    },
    async end() {
      isEnding = true
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}
