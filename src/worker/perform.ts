import type { Correlation } from '../common/correlation.ts'
import { type Log, withCorrelation } from '../log.ts'
import type { createSupplierCalls, LeasedCall } from './supplier_calls.ts'
import type { createWebhookDeliveries, LeasedAttempt } from './webhook_deliveries.ts'

type SupplierCalls = Pick<ReturnType<typeof createSupplierCalls>, 'call' | 'finish'>
type WebhookDeliveries = Pick<ReturnType<typeof createWebhookDeliveries>, 'send' | 'finish'>

/** Makes what was leased, and records what came of it. */
export type Perform = {
  call: (calls: SupplierCalls, leased: LeasedCall) => Promise<void>
  delivery: (deliveries: WebhookDeliveries, leased: LeasedAttempt) => Promise<void>
}

/**
 * Makes calls and deliveries in the name of the request that placed their order: all log records of one carry its ids.
 * Each writes one record, with what came of it; a poll that brought nothing new does so at level debug.
 */
export function createPerform(log: Log): Perform {
  return {
    call: (calls, leased) =>
      withCorrelation(correlationOf(leased), async () => {
        const result = await calls.call(leased)
        const verdict = await calls.finish(leased, result)
        const { item_id: item, supplier, method } = leased
        const status = 'httpStatus' in result ? result.httpStatus : null
        const outcome = result.outcome === 'answered' ? result.status : result.outcome
        const record = { item, supplier, method, status, outcome, verdict }
        if (method === 'get' && verdict === 'waiting') log.debug(record, 'supplier call')
        else log.info(record, 'supplier call')
      }),

    delivery: (deliveries, leased) =>
      withCorrelation(correlationOf(leased), async () => {
        const result = await deliveries.send(leased)
        const verdict = await deliveries.finish(leased, result)
        const { event_id: event, event_type: type, attempt } = leased
        const status = result.kind === 'answered' ? result.status : null
        log.info({ event, type, attempt, status, outcome: result.kind, verdict }, 'delivery')
      }),
  }
}

function correlationOf(leased: Pick<LeasedCall, 'request_id' | 'traceparent'>): Correlation {
  return { requestId: leased.request_id, traceparent: leased.traceparent }
}
