import type { Task } from 'graphile-worker'
import { batch } from '../src/database/batch.ts'
import { callForIds, callNumbered } from '../src/database/batch_call.ts'
import type { Database, Functions } from '../src/database/client.ts'
import { recordResults } from '../src/database/record_results.ts'
import type { Log } from '../src/log.ts'
import { jobId } from '../src/messages/job_id.ts'
import type { Sealing } from '../src/sealing/sealing.ts'
import { supplierTimeoutMs } from '../src/suppliers/adapters.ts'
import { type SupplierOutcome, sealOutcome } from '../src/suppliers/outcome.ts'
import { inSpan } from '../src/tracing/in_span.ts'
import type { Tracer } from '../src/tracing/tracer.ts'
import type { FirstAttempts, Recorded } from './deliver_webhook.ts'

/**
 * A call that is due, leased to this worker. It may place an order before `sendBefore`, a time of `performance.now()`:
 * until then the lease outlives the call, whatever stopped this process meanwhile.
 */
export type LeasedCall = Functions['work.begin_calls']['result'][number] & { sendBefore: number }

type FinishedCall = { itemId: string; leaseToken: string; result: SupplierOutcome }

export type CallSupplierOptions = {
  db: Database
  /** Calls the supplier. Never rejects because of a supplier or the network. */
  call: (leased: LeasedCall) => Promise<SupplierOutcome>
  /** How many calls to a supplier without a limit of its own may be under way at once in this process. */
  maxCallsPerSupplier: number
  /** How long a supplier may leave an item unsettled before it is stuck, as an interval of PostgreSQL. */
  deadline: string
  /** How long the worker asks for an item that its supplier does not have and that is not safe to send again. */
  unsafeAfter: string
  /** Makes the first attempts that are leased with the results. */
  firstAttempts: FirstAttempts
  metrics: { countSupplierCall(verdict: string): void; observeEndedOrder(outcome: string, seconds: number): void }
  sealing: Sealing
  log: Log
  tracer: Tracer
}

/** The lease of a call, in milliseconds, as `work.begin_calls` defines it; the time of `wait_ms` is added. */
export const callLeaseMs = 45_000
// The most codes that one statement records. A single result can contain as many; recording them takes a second.
const maxCodes = 10_000
const maxPendingCodes = 1_000_000
// A call that gets an answer about the item is successful, even if the supplier fails the item.
const failures = ['unknown', 'not_placed', 'hold']

type RecordingArgs = Omit<Functions['work.finish_calls']['args'], 'results'>

/** Makes a call that records results of suppliers, and begins the first attempts that it leases. Returns the answers. */
async function recordCalls(
  { deadline, unsafeAfter: unsafe_after, firstAttempts, metrics }: CallSupplierOptions,
  call: (args: RecordingArgs) => Promise<Recorded>,
): Promise<Recorded['answers']> {
  const { answers, ended } = await firstAttempts.lease((request) => call({ deadline, unsafe_after, ...request }))
  for (const { outcome, seconds } of ended) metrics.observeEndedOrder(outcome, seconds)
  return answers
}

/**
 * Makes the function that sells codes of our own to an item. One statement takes the codes, settles the item, ends the
 * order and leases the first attempt of its event; concurrent items share it. An item whose rows are locked gets
 * another job in that statement. Specification 10.
 */
function sellStock(options: CallSupplierOptions) {
  const { db, log, tracer } = options
  const sell = batch<LeasedCall, { verdict: string }>({
    run: (items) =>
      callNumbered(items, () => {
        const item_ids = items.map(({ item_id }) => item_id)
        const sale_tokens = items.map(({ lease_token }) => lease_token)
        return recordCalls(options, (args) => db.call('work.sell_stock', { item_ids, sale_tokens, ...args }))
      }),
    keyOf: ({ item_id }) => item_id,
    weightOf: ({ quantity }) => 1 + quantity,
    maxWeight: maxCodes,
    maxPending: maxPendingCodes,
    maxRetries: Number.POSITIVE_INFINITY,
  })
  return (leased: LeasedCall) =>
    inSpan(tracer, 'supplier stock', leased, async (leased) => {
      const { verdict } = await sell(leased)
      const { item_id: item, supplier, method } = leased
      const attributes = { item, supplier, method, verdict }
      log.info(attributes, 'stock sale')
      return { attributes, failed: false }
    })
}

/**
 * Makes the task that calls the supplier of one order item, if a call is due: it sends the item, or asks for its
 * status. The worker leases the call before it sends, and records the result under that lease. The same statement
 * settles the item, plans the next call, ends the order, and leases the first attempt to deliver the order's event.
 * Concurrent jobs share statements. Specification 3 and 7.
 */
export function createCallSupplier(options: CallSupplierOptions): Task {
  const { db, call, metrics, sealing, log, tracer } = options
  const underWay = new Map<string, number>()
  const count = (supplier: string, by: number) => underWay.set(supplier, (underWay.get(supplier) ?? 0) + by)

  const lease = batch<string, LeasedCall | null>({
    run: (itemIds) =>
      callForIds(itemIds, async (item_ids) => {
        const under_way = Object.fromEntries(underWay)
        const supplier_cap = options.maxCallsPerSupplier
        // The lease begins in the database after this time.
        const calledAt = performance.now()
        const calls = await db.call('work.begin_calls', { item_ids, under_way, supplier_cap })
        for (const { supplier, method } of calls) if (method !== 'stock') count(supplier, 1)
        return calls.map((call) => ({ ...call, sendBefore: calledAt + call.wait_ms + callLeaseMs - supplierTimeoutMs }))
      }),
    // A job that fails because the database is unavailable would wait for seconds.
    maxRetries: Number.POSITIVE_INFINITY,
  })

  const record = recordResults<FinishedCall>({
    run: (results) => recordCalls(options, (args) => db.call('work.finish_calls', { results, ...args })),
    onRecorded: metrics.countSupplierCall,
    keyOf: ({ itemId }) => itemId,
    weightOf: ({ result }) => 1 + ('codes' in result ? result.codes.length : 0),
    maxWeight: maxCodes,
    maxPending: maxPendingCodes,
  })

  const knownCodes = batch<string, Functions['work.known_codes']['result'][number] | null>({
    run: (itemIds) => callForIds(itemIds, (item_ids) => db.call('work.known_codes', { item_ids })),
    waitMs: 30_000,
    maxRetries: Number.POSITIVE_INFINITY,
  })

  const sell = sellStock(options)

  return async (payload) => {
    const leased = await lease(jobId(payload))
    if (leased === null) return
    if (leased.method === 'stock') return sell(leased)
    await inSpan(tracer, `supplier ${leased.method}`, leased, async (leased) => {
      const { item_id: item, lease_token: leaseToken, supplier, method } = leased
      const said = await call(leased).finally(() => count(supplier, -1))
      const known = async (itemId: string) => (await knownCodes(itemId))?.codes ?? null
      const { result, verdict } = await sealing.store(async () => {
        // guard: the result of a call is sealed
        const result = await sealOutcome(said, item, sealing, known)
        return { result, verdict: await record({ itemId: item, leaseToken, result }) }
      })

      const status = 'httpStatus' in result ? result.httpStatus : null
      const outcome = result.outcome === 'answered' ? result.status : result.outcome
      const error = 'error' in result ? { error: result.error } : {}
      const attributes = { item, supplier, method, status, outcome, verdict, ...error }
      if (method === 'get' && outcome === 'processing') log.debug(attributes, 'supplier call')
      else log.info(attributes, 'supplier call')
      return { attributes, failed: failures.includes(outcome) }
    })
  }
}
