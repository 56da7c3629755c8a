import type { Functions } from '../database/client.ts'
import { safeError } from '../log.ts'
import type { BalanceReading } from '../suppliers/adapter.ts'
import type { OfferSyncOptions } from './offer_sync.ts'

type Begun = Functions['work.begin_balance']['result'][number]

/** Reads our balances at suppliers that are due. */
export type BalanceReader = {
  /** Begins the readings that are due, and resolves when all have begun. They then continue in the background. */
  look: () => Promise<void>
  /** Resolves when no reading is under way. */
  idle: () => Promise<void>
  /** Begins no more readings, ends those under way and resolves when their ends are recorded. */
  stop: () => Promise<void>
}

/** How many balances this process reads at once. */
const mostAtOnce = 8

/** Creates the reader of our balances. A failed reading keeps the last balance. */
export function createBalanceReader(options: OfferSyncOptions): BalanceReader {
  const { db, log } = options
  const stopped = new AbortController()
  const underWay = new Set<Promise<void>>()

  async function run(begun: Begun): Promise<void> {
    const { supplier, reading } = begun
    try {
      const began_at = new Date()
      const read = await ask(options, begun, stopped.signal).catch((thrown: unknown): BalanceReading => {
        log.warn({ supplier, error: safeError(thrown) }, 'the balance at a supplier could not be read')
        return { ok: false, error: 'the worker could not read it; its log says why' }
      })
      const reported = read.ok ? { ...read, error: null } : { balance: null, currency: null, error: read.error }
      const { balance, currency, error } = reported
      await db.call('work.finish_balance', { supplier, reading, began_at, balance, currency, error })
    } catch (thrown) {
      // It is read again in five minutes.
      log.warn({ supplier, error: safeError(thrown) }, 'the balance at a supplier could not be recorded')
    }
  }

  return {
    look: async () => {
      while (!stopped.signal.aborted && underWay.size < mostAtOnce) {
        const [begun] = await db.call('work.begin_balance')
        if (begun === undefined) return
        const running = run(begun)
        underWay.add(running)
        void running.finally(() => underWay.delete(running))
      }
    },
    idle: async () => {
      await Promise.all(underWay)
    },
    stop: async () => {
      stopped.abort()
      await Promise.all(underWay)
    },
  }
}

async function ask(
  { adapters, credentials, pace }: OfferSyncOptions,
  begun: Begun,
  signal: AbortSignal,
): Promise<BalanceReading> {
  const { supplier, base_url: baseUrl, protocol } = begun
  const adapter = adapters.adapterFor(protocol)
  if (adapter?.balance === undefined) return { ok: false, error: `no adapter reads balances of protocol ${protocol}` }
  const access = await credentials.tokenFor(begun)
  if (!access.ok) return { ok: false, error: access.error }
  const paced = begun.per_minute === null ? undefined : () => pace(supplier, signal)
  const reading = await adapter.balance({ supplier, baseUrl, token: access.token, pace: paced }, signal)
  if (!reading.ok && reading.httpStatus === 401) credentials.reject(supplier, access.token)
  return reading
}
