import type { SupplierCall } from '../adapter.ts'
import { type Ask, apiAdapter } from '../api.ts'
import { balanceSchema, readBalance } from '../balance.ts'
import { interpretAnswer, type SupplierOutcome, unanswered, unknown } from '../outcome.ts'

/** The protocol `http`: PUT and GET {base}/orders/{reference} with a bearer token. */
export const createHttpAdapter = apiAdapter({
  prefix: '',
  authorize: (token) => ({ authorization: `Bearer ${token}` }),
  capabilities: {
    repeatSafeSeconds: null,
    findsByReference: true,
    pushes: 'results',
    listsOffers: false,
    requestsPerCall: 1,
    asksByRepeating: false,
    minWaitSeconds: null,
    reportsBalance: true,
  },
  put: placeOrder,
  get: askForOrder,
  balance: async (ask) => {
    const reading = readBalance(await ask({ path: '/balance' }), balanceSchema)
    // Not every supplier of this protocol reports a balance.
    const reportsNone = !reading.ok && reading.httpStatus === 404
    return reportsNone ? { ok: true, balance: null, currency: null } : reading
  },
})

async function placeOrder(ask: Ask, call: SupplierCall): Promise<SupplierOutcome> {
  const { reference, token, sku, quantity, deliveryData, maySend } = call
  const body = { reference, sku, quantity, deliveryData }
  const exchange = await ask({ method: 'PUT', path: pathOf(call), body, placing: { maySend, repeatable: true } })
  return 'answer' in exchange
    ? interpretAnswer({ method: 'PUT', reference, token }, exchange.answer)
    : unanswered(exchange)
}

async function askForOrder(ask: Ask, call: SupplierCall): Promise<SupplierOutcome> {
  const { reference, token } = call
  const exchange = await ask({ path: pathOf(call) })
  return 'answer' in exchange
    ? interpretAnswer({ method: 'GET', reference, token }, exchange.answer)
    : unknown(exchange.lost, exchange)
}

const pathOf = ({ reference }: SupplierCall) => `/orders/${encodeURIComponent(reference)}`
