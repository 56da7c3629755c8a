import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../database/client.ts'
import { isConflict } from '../database/errors.ts'
import { type Log, safeError } from '../log.ts'
import type { SupplierAccess } from '../suppliers/adapter.ts'
import type { SupplierAdapters } from '../suppliers/adapters.ts'
import type { Pace } from './pace.ts'
import type { SupplierCredentials } from './supplier_credentials.ts'

export type ReadingOptions = {
  db: Database
  adapters: SupplierAdapters
  credentials: SupplierCredentials
  pace: Pace
  log: Log
}

/** Reads something of the suppliers for which that is due. */
export type Readings = {
  /** Begins the readings that are due, and resolves when all have begun. They then continue in the background. */
  look: () => Promise<void>
  /** Resolves when no reading is under way. */
  idle: () => Promise<void>
  /** Begins no more readings, ends those under way and resolves when their ends are recorded. */
  stop: () => Promise<void>
}

/** Creates readings: `begin` leases one that is due, `run` makes it and records its end. */
export function createReadings<Begun extends { supplier: string }>(
  log: Log,
  maxAtOnce: number,
  begin: () => Promise<Begun | undefined>,
  run: (begun: Begun, stopped: AbortSignal) => Promise<void>,
): Readings {
  const stopped = new AbortController()
  const underWay = new Set<Promise<void>>()
  const idle = async () => {
    await Promise.all(underWay)
  }
  return {
    look: async () => {
      while (!stopped.signal.aborted && underWay.size < maxAtOnce) {
        const begun = await begin()
        if (begun === undefined) return
        const running = run(begun, stopped.signal)
          // It is due again by itself.
          .catch((thrown: unknown) => {
            const { supplier } = begun
            log.warn({ supplier, error: safeError(thrown) }, 'the end of a reading could not be recorded')
          })
          .finally(() => underWay.delete(running))
        underWay.add(running)
      }
    },
    idle,
    stop: () => {
      stopped.abort()
      return idle()
    },
  }
}

/** How long a reading waits for a row that another transaction has locked before it tries again, in milliseconds. */
const lockedMs = 250

/** Makes a call again as long as another transaction holds a lock that it needs: a locked row is no failed reading. */
export async function untilFree<T>(stopped: AbortSignal, call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!isConflict(error) || stopped.aborted) throw error
      await sleep(lockedMs, undefined, { signal: stopped }).catch(() => {})
    }
  }
}

type Failed = { ok: false; error: string; httpStatus?: number }

/** Asks a supplier, at its pace, with its token, which is not used again where the supplier refuses it. */
export async function askSupplier<Answer extends { ok: true }>(
  { credentials, pace }: ReadingOptions,
  begun: Parameters<SupplierCredentials['tokenFor']>[0] & { base_url: string; per_minute: unknown },
  signal: AbortSignal,
  ask: (access: SupplierAccess) => Promise<Answer | Failed>,
): Promise<Answer | Failed> {
  const access = await credentials.tokenFor(begun)
  if (!access.ok) return { ok: false, error: access.error }
  const { supplier, base_url: baseUrl, per_minute: perMinute } = begun
  const paced = perMinute === null ? undefined : () => pace(supplier, signal)
  const answer = await ask({ supplier, baseUrl, token: access.token, pace: paced })
  if (!answer.ok && answer.httpStatus === 401) credentials.reject(supplier, access.token)
  return answer
}
