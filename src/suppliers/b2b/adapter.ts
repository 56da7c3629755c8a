import { apiAdapter, apiKeyHeader } from '../api.ts'
import { envelopedBalance, readBalance } from '../balance.ts'
import { askForOrder, placeOrder } from './calls.ts'
import { readUpstreamEvent } from './event.ts'
import { listOffers } from './listing.ts'

/**
 * The protocol `b2b`: an upstream that is a service like this one, and we are its partner. The base URL is its root,
 * the token is our API key there, and a sku is the id of its product. A key of another account of ours cannot see the
 * orders of this account, so it needs a supplier of its own.
 */
export const createB2bAdapter = apiAdapter({
  prefix: '/b2b',
  authorize: apiKeyHeader,
  capabilities: {
    repeatSafeSeconds: 23 * 3600,
    findsByReference: true,
    pushes: 'events',
    listsOffers: true,
    requestsPerCall: 2,
    asksByRepeating: false,
    minWaitSeconds: null,
    reportsBalance: true,
  },
  put: placeOrder,
  get: askForOrder,
  list: listOffers,
  balance: async (ask) => readBalance(await ask({ path: '/balance' }), envelopedBalance),
  readEvent: readUpstreamEvent,
})
