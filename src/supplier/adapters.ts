import type { AdapterFactory, SupplierAdapter } from './adapter.ts'
import { createHttpAdapter } from './http.ts'

/** The adapters of a process. `close` ends their connections; calls under way come to an unknown outcome. */
export type SupplierAdapters = {
  adapterFor: (protocol: string) => SupplierAdapter | undefined
  close: () => Promise<void>
}

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
