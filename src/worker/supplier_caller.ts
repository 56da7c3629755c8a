import { setTimeout as sleep } from 'node:timers/promises'
import type { LeasedCall } from '../../tasks/call_supplier.ts'
import { correlationHeaders } from '../messages/correlation.ts'
import type { SupplierCall } from '../suppliers/adapter.ts'
import type { SupplierAdapters } from '../suppliers/adapters.ts'
import { type NotPlacedCause, notPlaced, type SupplierOutcome, unknown, withoutToken } from '../suppliers/outcome.ts'
import type { WorkerMetrics } from './metrics.ts'
import type { Pace } from './pace.ts'
import type { SupplierCredentials } from './supplier_credentials.ts'

export type SupplierCallerOptions = {
  adapters: SupplierAdapters
  credentials: SupplierCredentials
  /** The address of the service from outside; undefined: suppliers push no events. */
  publicUrl: string | undefined
  /** Until when no other worker can have declared this one dead, as a time of `performance.now()`. */
  aliveUntil: () => number
  pace: Pace
  /** Ends the calls that are under way; their outcome is then unknown. */
  signal: AbortSignal
  metrics: Pick<WorkerMetrics, 'observeSupplierCall'>
}

/**
 * Makes the function that calls suppliers for `tasks/call_supplier.ts`: it waits for the supplier's pace, takes the
 * token, and calls the adapter of the supplier's protocol. It never rejects because of a supplier or the network.
 */
export function createSupplierCaller(options: SupplierCallerOptions) {
  const { adapters, credentials, metrics } = options

  async function callAdapter(leased: LeasedCall, signal: AbortSignal): Promise<SupplierOutcome> {
    const isPut = leased.method === 'put'
    if (leased.wait_ms > 0) await sleep(leased.wait_ms, undefined, { signal }).catch(() => {})
    if (signal.aborted && isPut) return notPlaced('late', 'the worker stopped before the call')
    const adapter = adapters.adapterFor(leased.protocol)
    // An order that was certainly not sent may be sent later.
    const withoutCall = (cause: NotPlacedCause, problem: string) =>
      isPut ? notPlaced(cause, problem) : unknown(problem)
    if (adapter === undefined) return withoutCall('settings', `there is no adapter for protocol ${leased.protocol}`)
    const access = await credentials.tokenFor(leased)
    if (!access.ok) return withoutCall(access.cause, access.error)
    const call = callFrom(leased, access.token, options, signal)
    const outcome = await (isPut ? adapter.put(call, signal) : adapter.get(call, signal))
    if ('httpStatus' in outcome && outcome.httpStatus === 401) credentials.reject(leased.supplier, access.token)
    return withoutToken(outcome, access.token)
  }

  return async (leased: LeasedCall, signal = options.signal): Promise<SupplierOutcome> => {
    const beganAt = performance.now() + leased.wait_ms
    const result = await callAdapter(leased, signal)
    const { supplier, method } = leased
    const seconds = Math.max(0, performance.now() - beganAt) / 1_000
    metrics.observeSupplierCall({ supplier, method, outcome: result.outcome }, seconds)
    return result
  }
}

function callFrom(
  leased: LeasedCall,
  token: string,
  { publicUrl, aliveUntil, pace }: Pick<SupplierCallerOptions, 'publicUrl' | 'aliveUntil' | 'pace'>,
  signal: AbortSignal,
): SupplierCall {
  return {
    supplier: leased.supplier,
    baseUrl: leased.base_url,
    token,
    pace: () => pace(leased.supplier, signal),
    correlation: correlationHeaders({ requestId: leased.request_id, traceparent: leased.traceparent }),
    reference: leased.reference,
    sku: leased.sku,
    quantity: leased.quantity,
    deliveryData: leased.delivery_data as Record<string, unknown>,
    recipient: leased.recipient,
    deliversKeys: leased.delivery_type === 'key',
    unitCost: leased.unit_cost,
    currency: leased.currency,
    supplierOrderId: leased.supplier_order_id,
    firstSentAt: leased.first_sent_at,
    doubtedAt: leased.doubted_at,
    eventsUrl: leased.pushes_events && publicUrl ? `${publicUrl}/suppliers/${leased.supplier}/webhooks` : null,
    maySend: () => performance.now() < Math.min(leased.sendBefore, aliveUntil()),
  }
}
