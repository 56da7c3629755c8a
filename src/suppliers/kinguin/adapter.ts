import { apiAdapter } from '../api.ts'
import { askForOrder, placeOrder } from './calls.ts'
import { readKinguinEvent } from './event.ts'
import { listOffers } from './list.ts'

/**
 * The protocol `kinguin`: Kinguin's e-commerce API (ESA). The token is the api key, a sku the `productId` there, or
 * `productId/offerId` for one offer alone. A repeated order may be a second one, so it is looked for before. A call for
 * more than 100 keys takes a request more for each 100 of them.
 */
export const createKinguinAdapter = apiAdapter({
  prefix: '',
  capabilities: {
    repeatSafeSeconds: 0,
    findsByReference: true,
    pushes: 'events',
    listsOffers: true,
    requestsPerCall: 3,
  },
  put: placeOrder,
  get: askForOrder,
  list: listOffers,
  readEvent: readKinguinEvent,
})
