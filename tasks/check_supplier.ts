import { randomUUID } from 'node:crypto'
import type { Task } from 'graphile-worker'
import type { Database } from '../src/database/client.ts'
import { jobId } from '../src/messages/job_id.ts'
import type { SupplierOutcome } from '../src/suppliers/outcome.ts'
import type { LeasedCall } from './call_supplier.ts'

export type CheckSupplierOptions = {
  db: Database
  /** Calls the supplier, and gives up when the signal aborts. Never rejects because of a supplier or the network. */
  call: (call: LeasedCall, signal: AbortSignal) => Promise<SupplierOutcome>
}

// The operator waits for the answer.
const timeoutMs = 8_000

/**
 * Makes the task that checks a supplier for an operator: it asks for an order that was never placed, and records the
 * outcome. `not_received` is the good one.
 */
export function createCheckSupplier({ db, call }: CheckSupplierOptions): Task {
  return async (payload) => {
    const check_id = jobId(payload)
    const [supplier] = await db.call('work.begin_supplier_check', { check_id })
    if (supplier === undefined) return
    const outcome = await call({ ...supplier, ...neverPlaced() }, AbortSignal.timeout(timeoutMs))
    await db.call('work.finish_supplier_check', {
      check_id,
      outcome: outcome.outcome === 'answered' ? outcome.status : outcome.outcome,
      status_code: 'httpStatus' in outcome ? outcome.httpStatus : null,
      error: 'error' in outcome ? outcome.error : null,
    })
  }
}

function neverPlaced(): Omit<LeasedCall, 'supplier' | 'protocol' | 'base_url' | 'token' | 'token_url' | 'client_id'> {
  const reference = randomUUID()
  return {
    ordinal: 1,
    item_id: reference,
    lease_token: reference,
    method: 'get',
    reference,
    sku: 'check',
    quantity: 1,
    delivery_data: {},
    delivery_type: 'id_only',
    wait_ms: 0,
    unit_cost: null,
    currency: null,
    supplier_order_id: null,
    first_sent_at: null,
    pushes_events: false,
    recipient: null,
    doubted_at: null,
    request_id: null,
    traceparent: null,
    sendBefore: Number.NEGATIVE_INFINITY,
  }
}
