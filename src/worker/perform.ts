import { type Log, withCorrelation } from '../log.ts'
import { type Attributes, noTracer, type Tracer } from '../tracing/tracer.ts'
import type { createSupplierCalls, LeasedCall } from './supplier_calls.ts'
import type { createWebhookDeliveries, LeasedAttempt } from './webhook_deliveries.ts'

type SupplierCalls = Pick<ReturnType<typeof createSupplierCalls>, 'call' | 'finish'>
type WebhookDeliveries = Pick<ReturnType<typeof createWebhookDeliveries>, 'send' | 'finish'>

/** Makes what was leased, and records what came of it. */
export type Perform = {
  call: (calls: SupplierCalls, leased: LeasedCall) => Promise<void>
  delivery: (deliveries: WebhookDeliveries, leased: LeasedAttempt) => Promise<void>
}

type Leased = { request_id: string | null; traceparent: string | null }
type Done = { attributes: Attributes; failed: boolean }

/**
 * Makes calls and deliveries in the name of the request that placed their order: all log records of one carry its ids,
 * and where traces are on, it is a span of the request's trace. Each writes one record, with what came of it; a poll that
 * finds the item still under way does so at level debug.
 */
export function createPerform(log: Log, tracer: Tracer = noTracer): Perform {
  async function inSpan<L extends Leased>(name: string, leased: L, work: (leased: L) => Promise<Done>) {
    const { request_id: requestId, traceparent: parent } = leased
    const span = tracer.start({ name, kind: 'client', parent })
    const { traceparent } = span
    const { attributes, failed } = await withCorrelation({ requestId, traceparent }, () =>
      work({ ...leased, traceparent }),
    ).catch((error) => {
      span.end({ attributes: {}, failed: true })
      throw error
    })
    span.end({ attributes: { ...attributes, 'supply.request_id': requestId }, failed })
  }

  return {
    call: (calls, leased) =>
      inSpan(`supplier ${leased.method}`, leased, async (call) => {
        const result = await calls.call(call)
        const verdict = await calls.finish(call, result)
        const { item_id: item, supplier, method } = call
        const status = 'httpStatus' in result ? result.httpStatus : null
        const outcome = result.outcome === 'answered' ? result.status : result.outcome
        const record = { item, supplier, method, status, outcome, verdict }
        if (method === 'get' && outcome === 'processing') log.debug(record, 'supplier call')
        else log.info(record, 'supplier call')
        return { attributes: attributesOf(record), failed: failures.includes(outcome) }
      }),

    delivery: (deliveries, leased) =>
      inSpan('webhook delivery', leased, async (delivery) => {
        const result = await deliveries.send(delivery)
        const verdict = await deliveries.finish(delivery, result)
        const { event_id: event, event_type: type, attempt } = delivery
        const status = result.kind === 'answered' ? result.status : null
        const record = { event, type, attempt, status, outcome: result.kind, verdict }
        log.info(record, 'delivery')
        return { attributes: attributesOf(record), failed: verdict !== 'delivered' }
      }),
  }
}

// What a supplier says of an item is an answer, also where it fails the item.
const failures = ['unknown', 'not_placed', 'hold']

function attributesOf({ status, ...record }: Attributes): Attributes {
  const named = Object.entries(record).map(([name, value]) => [`supply.${name}`, value])
  return { ...Object.fromEntries(named), 'http.response.status_code': status }
}
