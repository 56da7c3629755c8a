import type { Database, Functions } from '../database/client.ts'
import { type Log, safeError } from '../log.ts'
import type { Listing } from '../suppliers/adapter.ts'
import type { SupplierAdapters } from '../suppliers/adapters.ts'
import type { Pace } from './pace.ts'
import type { SupplierCredentials } from './supplier_credentials.ts'

type LeasedSync = Functions['work.begin_sync']['result'][number]

export type OfferSyncOptions = {
  db: Database
  adapters: SupplierAdapters
  credentials: SupplierCredentials
  pace: Pace
  log: Log
}

/** Reads the lists of suppliers that are due. */
export type OfferSync = {
  /** Begins the readings that are due, and resolves when all have begun. They then continue in the background. */
  look: () => Promise<void>
  /** Begins no more readings, ends those under way and resolves when their ends are recorded. */
  stop: () => Promise<void>
}

/** How many lists this process reads at once. */
const mostAtOnce = 4
/** How long a reading may take, in milliseconds. The lease in the database is longer. */
const longestMs = 9 * 60_000
/** Short statements: operators who change the same products wait for one. */
const entriesAtOnce = 250

/**
 * Creates the reader of suppliers' lists, which records costs, stock and texts. An incomplete list changes nothing. A list is
 * recorded in parts.
 */
export function createOfferSync({ db, adapters, credentials, pace, log }: OfferSyncOptions): OfferSync {
  const stopped = new AbortController()
  const underWay = new Set<Promise<void>>()

  async function list(sync: LeasedSync, skus: readonly string[]): Promise<Listing> {
    if (skus.length === 0) return { ok: true, offers: [] }
    const adapter = adapters.adapterFor(sync.protocol)
    if (adapter?.list === undefined)
      return { ok: false, error: `there is no adapter that lists offers for protocol ${sync.protocol}` }
    const access = await credentials.tokenFor(sync)
    if (!access.ok) return { ok: false, error: access.error }
    const signal = AbortSignal.any([stopped.signal, AbortSignal.timeout(longestMs)])
    const { supplier, base_url: baseUrl } = sync
    const paced = sync.per_minute === null ? undefined : () => pace(supplier, signal)
    const reach = { supplier, baseUrl, token: access.token, pace: paced }
    const listing = await adapter.list(reach, skus, signal, sync.skus_for_texts as string[])
    if (!listing.ok && listing.httpStatus === 401) credentials.reject(supplier, access.token)
    return listing
  }

  /** Why the list was not recorded; null: it was. */
  async function record(sync: LeasedSync): Promise<string | null> {
    const skus = sync.skus as string[]
    const listing = await list(sync, skus)
    if (!listing.ok) return listing.error
    const offers = new Map(listing.offers.map((offer) => [offer.sku, offer]))
    const { supplier, lease_token } = sync
    for (let from = 0; from < skus.length; from += entriesAtOnce) {
      const entries = skus.slice(from, from + entriesAtOnce).map((sku) => offers.get(sku) ?? { sku })
      const holds = await db.call('work.record_list', { supplier, lease_token, entries })
      if (!holds) return 'the lease was lost'
    }
    return null
  }

  async function run(sync: LeasedSync): Promise<void> {
    const { supplier, lease_token } = sync
    try {
      const error = await record(sync).catch((thrown: unknown) => {
        log.warn({ supplier, error: safeError(thrown) }, 'the list of a supplier could not be read')
        return 'the worker could not read or record it; its log says why'
      })
      await db.call('work.finish_sync', { supplier, lease_token, error })
      if (error !== null) log.warn({ supplier, error }, 'the costs and the stock of a supplier were not read')
    } catch (thrown) {
      // The lease ends by itself.
      log.warn({ supplier, error: safeError(thrown) }, 'the end of a reading could not be recorded')
    }
  }

  return {
    look: async () => {
      await db.call('work.expire_rates')
      while (!stopped.signal.aborted && underWay.size < mostAtOnce) {
        const [sync] = await db.call('work.begin_sync')
        if (sync === undefined) return
        const running = run(sync)
        underWay.add(running)
        void running.finally(() => underWay.delete(running))
      }
    },
    stop: async () => {
      stopped.abort()
      await Promise.all(underWay)
    },
  }
}
