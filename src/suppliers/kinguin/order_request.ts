import type { SupplierCall } from '../adapter.ts'
import { answered, notPlaced, type SupplierOutcome } from '../outcome.ts'
import { readSku } from './order.ts'

// What one order may have of one product: of any offers together, and of a wholesale offer that is named.
const retailLimit = 9
const wholesaleLimit = 1_000

/** What the API is sent to place the order of an item; or the outcome, where there is nothing that it could serve. */
export function orderFor(call: SupplierCall): object | SupplierOutcome {
  const { reference, quantity, unitCost, currency } = call
  const sku = readSku(call.sku)
  if (!call.deliversKeys) return notPlaced('settings', 'the supplier has nothing but keys')
  if (sku === undefined) return notPlaced('settings', 'the sku is no productId or productId/offerId')
  const price = Number(unitCost ?? 0)
  if (currency !== 'EUR' || !(price > 0)) return notPlaced('settings', 'the offer has no cost in EUR')
  const { productId, offerId } = sku
  if (quantity > (offerId === null ? retailLimit : wholesaleLimit)) return outOfStock(null)
  const offer = offerId === null ? {} : { offerId }
  return {
    products: [{ productId, qty: quantity, price, keyType: 'text', ...offer }],
    orderExternalId: reference,
  }
}

/** The outcome of an order that no offer there serves, at the price that we accept. */
export function outOfStock(httpStatus: number | null): SupplierOutcome {
  const said = { reference: null, errorCode: 'OUT_OF_STOCK', reason: null, supplierOrderId: null }
  return answered({ status: 'failed', codes: [], ...said }, httpStatus)
}
