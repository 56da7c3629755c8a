import type { SupplierOutcome } from './outcome.ts'

/** What a supplier is told, and how it is reached. `reference` is the order item's UUID, always the same for it. */
export type SupplierCall = {
  baseUrl: string
  token: string
  reference: string
  sku: string
  quantity: number
  deliveryData: Record<string, unknown>
}

/**
 * Speaks one protocol. `put` places an order, or repeats it; `get` asks how it stands. Neither ever rejects for what
 * the outside world does: that is an `unknown` outcome, and so is a call that `signal` ends.
 */
export type SupplierAdapter = {
  put: (call: SupplierCall, signal?: AbortSignal) => Promise<SupplierOutcome>
  get: (call: SupplierCall, signal?: AbortSignal) => Promise<SupplierOutcome>
}

/** What a protocol's file exports: it makes the adapter, whose calls take at most `timeoutMs` milliseconds. */
export type AdapterFactory = (options: {
  timeoutMs: number
}) => SupplierAdapter & { close: () => Promise<void> }
