import type { AdapterFactory, SupplierCall } from '../adapter.ts'
import { createSupplierHttp } from '../exchange.ts'
import { notPlaced, type SupplierOutcome, unknown } from '../outcome.ts'
import { askForOrder, placeOrder } from './calls.ts'
import { readKinguinEvent } from './event.ts'
import { type Gateway, gatewayAt } from './gateway.ts'
import { listOffers } from './list.ts'

type Run = (gateway: Gateway, call: SupplierCall, signal: AbortSignal) => Promise<SupplierOutcome>

/**
 * The protocol `kinguin`: Kinguin's e-commerce API (ESA). The token is the api key, a sku the `productId` there, or
 * `productId/offerId` for one offer alone. A repeated order may be a second one, so it is looked for before. A call for
 * more than 100 keys takes a request more for each 100 of them.
 */
export const createKinguinAdapter: AdapterFactory = ({ timeoutMs }) => {
  const http = createSupplierHttp({ timeoutMs })
  const within =
    (run: Run, refuse: (problem: string) => SupplierOutcome) => async (call: SupplierCall, signal?: AbortSignal) => {
      const gateway = gatewayAt(http, call)
      if (gateway === undefined) return refuse('the base URL of the supplier is not usable')
      return http.withinDeadline((inTime) => run(gateway, call, inTime), signal)
    }
  return {
    capabilities: {
      repeatSafeSeconds: 0,
      findsByReference: true,
      pushes: 'events',
      listsOffers: true,
      requestsPerCall: 3,
    },
    put: within(placeOrder, (problem) => notPlaced('settings', problem)),
    get: within(askForOrder, unknown),
    list: (access, skus, signal) => listOffers(http, access, skus, signal),
    readEvent: readKinguinEvent,
    close: http.close,
  }
}
