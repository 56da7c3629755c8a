import type { SupplierCall } from '../../src/suppliers/adapter.ts'

type Given = Partial<SupplierCall> & Pick<SupplierCall, 'baseUrl' | 'token'>

/** A call about a new item of a top-up, but for what is given. */
export function supplierCall(given: Given): SupplierCall {
  return {
    supplier: 'demo',
    reference: crypto.randomUUID(),
    sku: 'UC-60',
    quantity: 2,
    deliveryData: { gameUserId: '5123456789' },
    recipient: null,
    deliversKeys: false,
    unitCost: null,
    currency: null,
    supplierOrderId: null,
    firstSentAt: null,
    doubtedAt: null,
    eventsUrl: null,
    maySend: () => true,
    ...given,
  }
}
