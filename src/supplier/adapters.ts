import type { AdapterFactory, SupplierAdapter } from './adapter.ts'
import { createHttpAdapter } from './http.ts'

/** The adapters of a process. `close` ends their connections; calls under way come to an unknown outcome. */
export type SupplierAdapters = {
  adapterFor: (protocol: string) => SupplierAdapter | undefined
  close: () => Promise<void>
}

const protocols: Record<string, AdapterFactory> = { http: createHttpAdapter }

/** How long a call to a supplier may take, in milliseconds. The lease of a call in the database is longer. */
export const supplierTimeoutMs = 30_000

/**
 * Makes one adapter for each protocol. Another protocol is another file, and a line above.
 * `timeoutMs` (30 seconds) bounds a call from its beginning to the last byte of its answer.
 */
export function createAdapters({
  timeoutMs = supplierTimeoutMs,
}: {
  timeoutMs?: number
} = {}): SupplierAdapters {
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
