import type { Functions } from '../database/client.ts'
import { safeError } from '../log.ts'
import type { Listing } from '../suppliers/adapter.ts'
import { askSupplier, createReadings, type ReadingOptions, type Readings, untilFree } from './readings.ts'

type LeasedSync = Functions['work.begin_sync']['result'][number]

/** How many lists this process reads at once. */
const maxAtOnce = 4
/** How long a reading may take, in milliseconds. The lease in the database is longer. */
const maxReadingMs = 9 * 60_000
/** Short statements: operators who change the same products wait for one. */
const entriesAtOnce = 250

/**
 * Creates the reader of suppliers' lists, which records costs, stock and texts. An incomplete list changes nothing. A
 * list is recorded in parts.
 */
export function createOfferSync(options: ReadingOptions): Readings {
  const { db, adapters, log } = options

  async function list(sync: LeasedSync, skus: readonly string[], stopped: AbortSignal): Promise<Listing> {
    if (skus.length === 0) return { ok: true, offers: [] }
    const { list } = adapters.adapterFor(sync.protocol) ?? {}
    if (list === undefined)
      return { ok: false, error: `there is no adapter that lists offers for protocol ${sync.protocol}` }
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(maxReadingMs)])
    return askSupplier(options, sync, signal, (access) => list(access, skus, signal, sync.skus_for_texts as string[]))
  }

  /** Why the list was not recorded; null: it was. */
  async function record(sync: LeasedSync, stopped: AbortSignal): Promise<string | null> {
    const skus = sync.skus as string[]
    const listing = await list(sync, skus, stopped)
    if (!listing.ok) return listing.error
    const offers = new Map(listing.offers.map((offer) => [offer.sku, offer]))
    const { supplier, lease_token } = sync
    for (let from = 0; from < skus.length; from += entriesAtOnce) {
      const entries = skus.slice(from, from + entriesAtOnce).map((sku) => offers.get(sku) ?? { sku })
      const holds = await untilFree(stopped, () => db.call('work.record_list', { supplier, lease_token, entries }))
      if (!holds) return 'the lease was lost'
    }
    return null
  }

  async function run(sync: LeasedSync, stopped: AbortSignal): Promise<void> {
    const { supplier, lease_token } = sync
    const error = await record(sync, stopped).catch((thrown: unknown) => {
      log.warn({ supplier, error: safeError(thrown) }, 'the list of a supplier could not be read')
      return 'the worker could not read or record it; its log says why'
    })
    await untilFree(stopped, () => db.call('work.finish_sync', { supplier, lease_token, error }))
    if (error !== null) log.warn({ supplier, error }, 'the costs and the stock of a supplier were not read')
  }

  const readings = createReadings(log, maxAtOnce, async () => (await db.call('work.begin_sync'))[0], run)
  return {
    ...readings,
    look: async () => {
      await db.call('work.expire_rates')
      await readings.look()
    },
  }
}
