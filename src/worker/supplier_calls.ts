import { batch } from '../database/batch.ts'
import type { Database, Functions } from '../database/client.ts'
import type { SupplierAdapters } from '../supplier/adapters.ts'
import { type SupplierOutcome, unknown } from '../supplier/outcome.ts'
import { claims, withRetries } from './leases.ts'

export type ClaimedCall = Functions['work.begin_calls']['result'][number]

export type SupplierCallOptions = {
  db: Database
  adapters: SupplierAdapters
  /** How long a supplier may leave an item unsettled before it is stuck, in hours. */
  deadlineHours: number
  /** How many calls to one supplier may be under way at once in this process. */
  supplierCap: number
  /** Ends the calls that are under way; their outcome is unknown then. */
  signal: AbortSignal
  /** Is told what came of each call that was recorded. */
  onRecorded: (verdict: string) => void
}

// Together in one statement. A single result can bring as many, and that takes a second.
const mostCodes = 10_000

/** The calls to suppliers: claiming, making and recording them. Concurrent claims and records share statements. */
export function createSupplierCalls(options: SupplierCallOptions) {
  const { db, adapters, deadlineHours, supplierCap, signal, onRecorded } = options
  const underWay = new Map<string, number>()
  const count = (supplier: string, by: number) => underWay.set(supplier, (underWay.get(supplier) ?? 0) + by)
  const deadline = `${deadlineHours} hours`
  const begin = batch<string, ClaimedCall | null>({
    run: async (itemIds) => {
      const rows = await db.call('work.begin_calls', {
        item_ids: itemIds,
        under_way: Object.fromEntries(underWay),
        supplier_cap: supplierCap,
      })
      for (const { supplier } of rows) count(supplier, 1)
      return claims(itemIds, rows)
    },
  })
  const record = batch<{ itemId: string; claimId: string; result: SupplierOutcome }, string>({
    run: async (results) => {
      const numbered = results.map((result, index) => ({ ordinal: index + 1, ...result }))
      const rows = await db.call('work.finish_calls', { results: numbered, deadline })
      return new Map(rows.map((row) => [row.ordinal - 1, row.verdict]))
    },
    weightOf: ({ result }) => 1 + (result.outcome === 'answered' ? result.codes.length : 0),
    maxWeight: mostCodes,
    // The pool's concurrency bounds it.
    maxPending: Number.POSITIVE_INFINITY,
  })

  async function ask(claimed: ClaimedCall): Promise<SupplierOutcome> {
    const adapter = adapters.adapterFor(claimed.protocol)
    if (adapter === undefined) return unknown(`there is no adapter for protocol ${claimed.protocol}`)
    const call = {
      baseUrl: claimed.base_url,
      token: claimed.token,
      reference: claimed.reference,
      sku: claimed.sku,
      quantity: claimed.quantity,
      deliveryData: claimed.delivery_data as Record<string, unknown>,
    }
    return claimed.method === 'put' ? adapter.put(call, signal) : adapter.get(call, signal)
  }

  return {
    /** Claims the call that is due for an item; null if none is. */
    begin: (itemId: string): Promise<ClaimedCall | null> => begin(itemId),

    /** Makes the call that was claimed. Never rejects for what the outside world does. */
    ask: async (claimed: ClaimedCall): Promise<SupplierOutcome> => {
      try {
        return await ask(claimed)
      } finally {
        count(claimed.supplier, -1)
      }
    },

    /** Records the result under its claim and gives what came of it. */
    record: async (claimed: ClaimedCall, result: SupplierOutcome): Promise<string> => {
      const { item_id: itemId, claim_id: claimId } = claimed
      const verdict = await withRetries(() => record({ itemId, claimId, result }))
      onRecorded(verdict)
      return verdict
    },
  }
}
