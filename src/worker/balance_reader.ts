import type { Functions } from '../database/client.ts'
import { safeError } from '../log.ts'
import type { BalanceReading } from '../suppliers/adapter.ts'
import { askSupplier, createReadings, type ReadingOptions, type Readings, untilFree } from './readings.ts'

type Begun = Functions['work.begin_balance']['result'][number]

/** How many balances this process reads at once. */
const maxAtOnce = 8

/** Creates the reader of our balances. A failed reading keeps the last balance. */
export function createBalanceReader(options: ReadingOptions): Readings {
  const { db, log } = options

  async function run(begun: Begun, stopped: AbortSignal): Promise<void> {
    const { supplier, reading } = begun
    const began_at = new Date()
    const read = await ask(options, begun, stopped).catch((thrown: unknown): BalanceReading => {
      log.warn({ supplier, error: safeError(thrown) }, 'the balance at a supplier could not be read')
      return { ok: false, error: 'the worker could not read it; its log says why' }
    })
    const reported = read.ok ? { ...read, error: null } : { balance: null, currency: null, error: read.error }
    const { balance, currency, error } = reported
    const ended = { supplier, reading, began_at, balance, currency, error }
    await untilFree(stopped, () => db.call('work.finish_balance', ended))
  }

  return createReadings(log, maxAtOnce, async () => (await db.call('work.begin_balance'))[0], run)
}

async function ask(options: ReadingOptions, begun: Begun, signal: AbortSignal): Promise<BalanceReading> {
  const { balance } = options.adapters.adapterFor(begun.protocol) ?? {}
  if (balance === undefined) return { ok: false, error: `no adapter reads balances of protocol ${begun.protocol}` }
  return askSupplier(options, begun, signal, (access) => balance(access, signal))
}
