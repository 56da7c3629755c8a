import { apiAdapter, apiKeyHeader } from '../api.ts'
import { balanceInEuro, readBalance } from '../balance.ts'
import { askForOrder, placeOrder } from './calls.ts'
import { readKinguinEvent } from './event.ts'
import { listOffers } from './list.ts'

/**
 * The protocol `kinguin`: Kinguin's e-commerce API (ESA). The token is the API key. A sku is a `productId`, or
 * `productId/offerId` for one offer alone. A repeated request may place a second order, so the adapter first looks for
 * the order. A call for more than 100 keys takes one more request for each further 100.
 */
export const createKinguinAdapter = apiAdapter({
  prefix: '',
  authorize: apiKeyHeader,
  capabilities: {
    repeatSafeSeconds: 0,
    findsByReference: true,
    pushes: 'events',
    listsOffers: true,
    requestsPerCall: 3,
    asksByRepeating: false,
    minWaitSeconds: null,
    reportsBalance: true,
  },
  put: placeOrder,
  get: askForOrder,
  list: listOffers,
  balance: async (ask) => readBalance(await ask({ path: '/v1/balance' }), balanceInEuro),
  readEvent: readKinguinEvent,
})
