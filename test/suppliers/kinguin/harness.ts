import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import type { SupplierCall } from '../../../src/suppliers/adapter.ts'
import { createKinguinAdapter } from '../../../src/suppliers/kinguin/adapter.ts'
import { type Kinguin, startKinguin, type TestOrder, testProduct } from '../../support/servers/kinguin.ts'
import { supplierCall } from '../../support/supplier_call.ts'

/** A stand-in for Kinguin's API and an adapter for the tests of one file. Use it inside tests and hooks only. */
export function kinguinAdapter() {
  const adapter = createKinguinAdapter({ timeoutMs: 30_000 })
  let kinguin: Kinguin

  beforeAll(async () => {
    kinguin = await startKinguin()
  })
  beforeEach(() => {
    kinguin.products.clear()
    kinguin.products.set('game', testProduct('game'))
    kinguin.products.set('bulk', testProduct('bulk', { wholesale: true }))
    kinguin.requests.length = 0
  })
  afterEach(() => {
    kinguin.setFault(null)
    kinguin.onPlacing = () => undefined
    kinguin.pageLimit = 100
    expect(kinguin.violations).toEqual([])
  })
  afterAll(async () => {
    await adapter.close()
    await kinguin.close()
  })

  function order(overrides: Partial<SupplierCall> = {}): SupplierCall {
    const { baseUrl, apiKey: token } = kinguin
    const terms = { sku: 'game', unitCost: '4.75', currency: 'EUR', deliversKeys: true }
    return supplierCall({ baseUrl, token, ...terms, ...overrides })
  }
  return {
    adapter,
    kinguin: () => kinguin,
    /** A call for two keys of the product `game`, which is there for what it costs us. */
    order,
    /** Makes an order there for a call, and the call as it is made afterwards. */
    placed: async (call: SupplierCall): Promise<{ there: TestOrder; asked: SupplierCall }> => {
      const outcome = await adapter.put(call)
      const there = kinguin.orders.at(-1)
      if (outcome.outcome !== 'answered' || there === undefined) throw new Error('the order was not taken')
      return { there, asked: { ...call, firstSentAt: new Date(), supplierOrderId: outcome.supplierOrderId } }
    },
    /** What it was asked for, as `GET /v1/order`. */
    paths: () => kinguin.requests.map(({ method, path }) => `${method} ${path.replace('/esa/api', '')}`),
  }
}
