import { apiAdapter } from '../api.ts'
import { askForOrder, placeOrder } from './calls.ts'
import { readUpstreamEvent } from './event.ts'
import { listOffers } from './listing.ts'

/**
 * The protocol `b2b`: an upstream of this service's own family, of which we are a partner. Its base URL is its root,
 * its token our api key there, a sku the id of a product there. Our account there stands behind the key: the key of
 * another account sees none of the orders of the first, and needs a supplier of its own.
 */
export const createB2bAdapter = apiAdapter({
  prefix: '/b2b',
  capabilities: {
    repeatSafeSeconds: 23 * 3600,
    findsByReference: true,
    pushes: 'events',
    listsOffers: true,
    requestsPerCall: 2,
  },
  put: placeOrder,
  get: askForOrder,
  list: listOffers,
  readEvent: readUpstreamEvent,
})
