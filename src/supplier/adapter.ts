import { createHttpAdapter } from './http.ts'
import type { SupplierOutcome } from './outcome.ts'

/** What a supplier is told, and how it is reached. `reference` is the order line's UUID, always the same for it. */
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

/** The adapters of a process. `close` ends their connections; calls under way come to an unknown outcome. */
export type SupplierAdapters = {
  adapterFor: (protocol: string) => SupplierAdapter | undefined
  close: () => Promise<void>
}

/** What a protocol's file exports: it makes the adapter, whose calls take at most `timeoutMs` milliseconds. */
export type AdapterFactory = (options: {
  timeoutMs: number
}) => SupplierAdapter & { close: () => Promise<void> }

const protocols: Record<string, AdapterFactory> = { http: createHttpAdapter }

/**
 * Makes one adapter for each protocol. Another protocol is another file, and a line above.
 * `timeoutMs` (30 seconds) bounds a call from its beginning to the last byte of its answer.
 */
export function createAdapters({ timeoutMs = 30_000 }: { timeoutMs?: number } = {}): SupplierAdapters {
  const adapters = new Map(
    Object.entries(protocols).map(([protocol, create]) => [protocol, create({ timeoutMs })]),
  )
  return {
    adapterFor: (protocol) => adapters.get(protocol),
    close: async () => {
      await Promise.all([...adapters.values()].map((adapter) => adapter.close()))
    },
  }
}
