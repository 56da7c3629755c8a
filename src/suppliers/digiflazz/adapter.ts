import { apiAdapter } from '../api.ts'
import { checkAccount, readDeposit } from './balance.ts'
import { readDigiflazzEvent } from './event.ts'
import { listOffers } from './list.ts'
import { transact } from './transaction.ts'

/**
 * The protocol `digiflazz`: the buyer API of Digiflazz, for top-ups of one unit. The token is `username:apiKey`, a sku is
 * a `buyer_sku_code`, and the recipient of the offer is the `customer_no`. A transaction is asked for by sending it
 * again: for 90 days the same `ref_id` is the same transaction, of which one day is kept as a margin.
 */
export const createDigiflazzAdapter = apiAdapter({
  prefix: '',
  // The credential is in each body.
  authorize: () => ({}),
  capabilities: {
    repeatSafeSeconds: 89 * 24 * 3600,
    findsByReference: false,
    pushes: 'events',
    listsOffers: true,
    requestsPerCall: 1,
    asksByRepeating: true,
    minWaitSeconds: 60,
    reportsBalance: true,
  },
  put: transact,
  get: checkAccount,
  list: listOffers,
  balance: readDeposit,
  readEvent: readDigiflazzEvent,
})
