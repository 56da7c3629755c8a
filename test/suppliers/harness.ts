import { afterAll, beforeAll } from 'vitest'
import type { SupplierCall } from '../../src/suppliers/adapter.ts'
import { createAdapters, type SupplierAdapters } from '../../src/suppliers/adapters.ts'
import { type ScriptedSupplier, startScriptedSupplier } from '../support/servers/scripted_supplier.ts'
import { supplierCall } from '../support/supplier_call.ts'

/** The adapters to call with, the usual ones unless told otherwise, and what ends the call. */
export type AskOptions = { using?: SupplierAdapters; signal?: AbortSignal }

export const methods = ['PUT', 'GET'] as const

/** A scripted supplier and adapters for the tests of one file. Use it inside tests and hooks only. */
export function httpAdapters() {
  let supplier: ScriptedSupplier
  let adapters: SupplierAdapters
  let hasty: SupplierAdapters

  beforeAll(async () => {
    supplier = await startScriptedSupplier({ token: 'a-token-of-nobody' })
    adapters = createAdapters()
    hasty = createAdapters({ timeoutMs: 150 })
  })
  afterAll(async () => {
    await Promise.all([adapters.close(), hasty.close()])
    await supplier.close()
  })

  return {
    supplier: () => supplier,
    adapters: () => adapters,
    /** Adapters whose calls take 150 ms at most. */
    hasty: () => hasty,
    order: (overrides: Partial<SupplierCall> = {}): SupplierCall =>
      supplierCall({
        baseUrl: supplier.url,
        token: supplier.token,
        deliveryData: { gameUserId: '5123456789', zone: 4, гость: true },
        ...overrides,
      }),
    ask: (method: 'PUT' | 'GET', call: SupplierCall, { using = adapters, signal }: AskOptions = {}) => {
      const adapter = using.adapterFor('http')
      if (adapter === undefined) throw new Error('no adapter for http')
      return method === 'PUT' ? adapter.put(call, signal) : adapter.get(call, signal)
    },
  }
}
