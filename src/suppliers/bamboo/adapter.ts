import { apiAdapter } from '../api.ts'
import { readAccount } from './account.ts'
import { readAccountBalance } from './balance.ts'
import { readBambooEvent } from './event.ts'
import { listOffers } from './list.ts'
import { askForOrder, placeOrder } from './order.ts'

/**
 * The protocol `bamboo`: gift cards of Bamboo. The token is `accountId:clientId:clientSecret`, and a sku is
 * `productId/faceValue`. That a repeat is refused is stated, and for how long it is not: a sent order is looked for first.
 */
export const createBambooAdapter = apiAdapter({
  prefix: '',
  authorize: (token) => readAccount(token)?.headers ?? {},
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
  balance: readAccountBalance,
  readEvent: readBambooEvent,
})
