import type { AdapterFactory, SupplierCall } from '../adapter.ts'
import { createSupplierHttp } from '../exchange.ts'
import { notPlaced, type SupplierOutcome, unknown } from '../outcome.ts'
import { askForOrder, placeOrder } from './calls.ts'
import { readUpstreamEvent } from './event.ts'
import { listOffers } from './listing.ts'
import { type Upstream, upstreamAt } from './upstream.ts'

type Run = (upstream: Upstream, call: SupplierCall, signal: AbortSignal) => Promise<SupplierOutcome>

/**
 * The protocol `b2b`: an upstream of this service's own family, of which we are a partner. Its base URL is its root, its
 * token our api key there, a sku the id of a product there. Our account there stands behind the key: the key of another
 * account sees none of the orders of the first, and needs a supplier of its own.
 */
export const createB2bAdapter: AdapterFactory = ({ timeoutMs }) => {
  const http = createSupplierHttp({ timeoutMs })
  const within =
    (run: Run, refuse: (problem: string) => SupplierOutcome) => async (call: SupplierCall, signal?: AbortSignal) => {
      const upstream = upstreamAt(http, call)
      if (typeof upstream === 'string') return refuse(upstream)
      return http.withinDeadline((inTime) => run(upstream, call, inTime), signal)
    }
  return {
    capabilities: {
      repeatSafeSeconds: 23 * 3600,
      findsByReference: true,
      pushes: 'events',
      listsOffers: true,
      requestsPerCall: 2,
    },
    put: within(placeOrder, (problem) => notPlaced('settings', problem)),
    get: within(askForOrder, unknown),
    list: (access, skus, signal) => listOffers(http, access, skus, signal),
    readEvent: readUpstreamEvent,
    close: http.close,
  }
}
