import { setTimeout as sleep } from 'node:timers/promises'
import { batch } from '../database/batch.ts'
import { callForIds, callNumbered } from '../database/batch_call.ts'
import type { Database, Functions } from '../database/client.ts'
import { correlationHeaders } from '../messages/correlation.ts'
import type { SupplierCall } from '../suppliers/adapter.ts'
import type { SupplierAdapters } from '../suppliers/adapters.ts'
import {
  type NotPlacedCause,
  notPlaced,
  type SupplierOutcome,
  unknown,
  withoutToken,
} from '../suppliers/outcome.ts'
import type { WorkerMetrics } from './metrics.ts'
import type { PromptDeliveries } from './prompt_deliveries.ts'
import { recordInBatches } from './results.ts'
import type { SupplierCredentials } from './supplier_credentials.ts'

export type LeasedCall = Functions['work.begin_calls']['result'][number]

type FinishedCall = { itemId: string; claimId: string; result: SupplierOutcome }
type FinishedRow = Functions['work.finish_calls']['result'][number]

export type SupplierCallOptions = {
  db: Database
  adapters: SupplierAdapters
  credentials: SupplierCredentials
  /** How long a supplier may leave an item unsettled before it is stuck, in hours. */
  deadlineHours: number
  /** How long an item is looked for that its supplier does not have and that may not be sent again, in minutes. */
  unsafeMinutes: number
  /** Where the service is reached from outside; undefined: suppliers push no events. */
  publicUrl: string | undefined
  /** How many calls to one supplier may be under way at once in this process. */
  supplierCap: number
  /** Ends the calls that are under way; their outcome is unknown then. */
  signal: AbortSignal
  /** Take the events that get slots as their orders end, as many as they have places. */
  deliveries: Pick<PromptDeliveries, 'places' | 'deliver'>
  /** Are told of each call that was made, of what came of it once it is recorded, and of each order that ended by one. */
  metrics: Pick<WorkerMetrics, 'observeSupplierCall' | 'countSupplierCall' | 'observeEndedOrder'>
}

// The most codes that one statement records. A single result can bring as many; recording them takes a second.
const mostCodes = 10_000
const mostPendingCodes = 1_000_000

/**
 * The calls to suppliers: taking their leases, making them and recording their results. Concurrent calls of `begin`, and
 * of `finish`, share statements.
 */
export function createSupplierCalls(options: SupplierCallOptions) {
  const { db, adapters, credentials, deliveries, signal, metrics } = options
  const { deadlineHours, unsafeMinutes, publicUrl, supplierCap } = options
  const underWay = new Map<string, number>()
  const count = (supplier: string, by: number) => underWay.set(supplier, (underWay.get(supplier) ?? 0) + by)
  const times = { deadline: `${deadlineHours} hours`, unsafe_after: `${unsafeMinutes} minutes` }
  const begin = batch<string, LeasedCall | null>({
    run: (itemIds) => callForIds(itemIds, beginCalls),
  })
  async function record(finished: FinishedCall[]): Promise<Map<number, FinishedRow>> {
    const rows = await callNumbered(finished, (results) =>
      db.call('work.finish_calls', { results, ...times, to_send: deliveries.places() }),
    )
    deliveries.deliver(rows.values())
    for (const { ended_outcome: outcome, ended_seconds: seconds } of rows.values()) {
      if (outcome !== null && seconds !== null) metrics.observeEndedOrder(outcome, seconds)
    }
    return rows
  }
  const finish = recordInBatches<FinishedCall, FinishedRow>({
    run: record,
    onRecorded: ({ verdict }) => metrics.countSupplierCall(verdict),
    keyOf: ({ itemId }) => itemId,
    weightOf: ({ result }) => 1 + ('codes' in result ? result.codes.length : 0),
    maxWeight: mostCodes,
    maxPending: mostPendingCodes,
  })

  async function beginCalls(itemIds: readonly string[]): Promise<LeasedCall[]> {
    const rows = await db.call('work.begin_calls', {
      item_ids: itemIds,
      under_way: Object.fromEntries(underWay),
      supplier_cap: supplierCap,
    })
    for (const { supplier } of rows) count(supplier, 1)
    return rows
  }

  async function callAdapter(leased: LeasedCall): Promise<SupplierOutcome> {
    const isPut = leased.method === 'put'
    if (leased.wait_ms > 0) await sleep(leased.wait_ms, undefined, { signal }).catch(() => {})
    if (signal.aborted && isPut) return notPlaced('busy', 'the worker stopped before the call')
    const adapter = adapters.adapterFor(leased.protocol)
    // What is certain not to have been sent may be sent later.
    const withoutCall = (cause: NotPlacedCause, problem: string) =>
      isPut ? notPlaced(cause, problem) : unknown(problem)
    if (adapter === undefined)
      return withoutCall('settings', `there is no adapter for protocol ${leased.protocol}`)
    const access = await credentials.tokenFor(leased)
    if (!access.ok) return withoutCall(access.cause, access.error)
    const call = callFrom(leased, access.token, publicUrl)
    const outcome = await (isPut ? adapter.put(call, signal) : adapter.get(call, signal))
    if ('httpStatus' in outcome && outcome.httpStatus === 401)
      credentials.reject(leased.supplier, access.token)
    return withoutToken(outcome, access.token)
  }

  return {
    /** Takes the lease of the call that is due for an item; null if none is. */
    begin: (itemId: string): Promise<LeasedCall | null> => begin(itemId),

    /** Makes the call that was leased. Never rejects for what the outside world does. */
    call: async (leased: LeasedCall): Promise<SupplierOutcome> => {
      const beganAt = performance.now() + leased.wait_ms
      try {
        const result = await callAdapter(leased)
        const { supplier, method } = leased
        const seconds = Math.max(0, performance.now() - beganAt) / 1_000
        metrics.observeSupplierCall({ supplier, method, outcome: result.outcome }, seconds)
        return result
      } finally {
        count(leased.supplier, -1)
      }
    },

    /**
     * Records the result under the call's lease. Returns what became of the item: the verdict of the SQL function, or busy
     * as soon as another transaction has a lock that the result needs.
     */
    finish: ({ item_id: itemId, claim_id: claimId }: LeasedCall, result: SupplierOutcome): Promise<string> =>
      finish({ itemId, claimId, result }),
  }
}

function callFrom(leased: LeasedCall, token: string, publicUrl: string | undefined): SupplierCall {
  return {
    supplier: leased.supplier,
    baseUrl: leased.base_url,
    token,
    correlation: correlationHeaders({ requestId: leased.request_id, traceparent: leased.traceparent }),
    reference: leased.reference,
    sku: leased.sku,
    quantity: leased.quantity,
    deliveryData: leased.delivery_data as Record<string, unknown>,
    deliversKeys: leased.delivery_type === 'key',
    unitCost: leased.unit_cost,
    currency: leased.currency,
    supplierOrderId: leased.supplier_order_id,
    firstSentAt: leased.first_sent_at,
    eventsUrl: leased.pushes_events ? eventsUrlOf(leased.supplier, publicUrl) : null,
  }
}

function eventsUrlOf(supplier: string, publicUrl: string | undefined): string | null {
  if (publicUrl === undefined) return null
  return `${publicUrl.replace(/(?<!\/)\/+$/, '')}/suppliers/${supplier}/webhooks`
}
