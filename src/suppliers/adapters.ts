import type { AdapterFactory, SupplierAdapter, SupplierCapabilities } from './adapter.ts'
import { createB2bAdapter } from './b2b/adapter.ts'
import { createBambooAdapter } from './bamboo/adapter.ts'
import { createDigiflazzAdapter } from './digiflazz/adapter.ts'
import { createHttpAdapter } from './http/adapter.ts'
import { createKinguinAdapter } from './kinguin/adapter.ts'

/** The adapters of a process. `close` ends their connections; the outcome of calls under way is then unknown. */
export type SupplierAdapters = {
  adapterFor: (protocol: string) => SupplierAdapter | undefined
  /** The capabilities of each protocol's suppliers. */
  capabilities: Readonly<Record<string, SupplierCapabilities>>
  close: () => Promise<void>
}

/** The protocols that this service speaks, each with what makes its adapter. */
export const protocols: Readonly<Record<string, AdapterFactory>> = {
  http: createHttpAdapter,
  b2b: createB2bAdapter,
  kinguin: createKinguinAdapter,
  digiflazz: createDigiflazzAdapter,
  bamboo: createBambooAdapter,
}

/** How long a call to a supplier may take, in milliseconds. The lease of a call in the database is longer. */
export const supplierTimeoutMs = 30_000

/**
 * Makes one adapter for each protocol. To add a protocol, write its file and name it in `protocols`.
 * `timeoutMs` (by default 30 seconds) bounds a call from its beginning to the last byte of its answer.
 */
export function createAdapters(
  options: { timeoutMs?: number | undefined; factories?: Readonly<Record<string, AdapterFactory>> | undefined } = {},
): SupplierAdapters {
  const { timeoutMs = supplierTimeoutMs, factories = protocols } = options
  const adapters = new Map(Object.entries(factories).map(([protocol, create]) => [protocol, create({ timeoutMs })]))
  return {
    adapterFor: (protocol) => adapters.get(protocol),
    capabilities: Object.fromEntries([...adapters].map(([protocol, { capabilities }]) => [protocol, capabilities])),
    close: async () => {
      await Promise.all([...adapters.values()].map((adapter) => adapter.close()))
    },
  }
}
