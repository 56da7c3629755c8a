import type { Config } from '../../config.ts'
import { type BatchOptions, batch } from '../../database/batch.ts'
import type { Database } from '../../database/client.ts'
import type { Sealing } from '../../sealing/sealing.ts'
import type { Context } from '../context.ts'
import { databaseTimeMs } from '../database_time.ts'
import { type ErrorName, refuse } from '../errors.ts'
import type { Admission } from '../middleware/admission.ts'

export type PushRouteOptions = {
  db: Database
  config: Pick<Config, 'supplierCredential'>
  sealing: Sealing
  admission: Admission
}

/** Refuses a push that may come from anyone: unlike the push of a supplier, it counts against the rate limit. */
export async function refuseCounted(ctx: Context, admission: Admission, error: ErrorName): Promise<void> {
  // An answer to too much work must not make more of it.
  if (error === 'UNAVAILABLE' || (await admission.count(ctx))) refuse(ctx, error)
}

/**
 * Makes a call to the database for each push, at most `inFlight` at once. Pushes are not counted before their sender is
 * known: this bounds what forged ones cost.
 */
export function callPerPush<In, Out>(
  inFlight: number,
  call: (push: In) => Promise<Out>,
  options: Pick<BatchOptions<In, Out>, 'isBusy' | 'keyOf'> = {},
): (push: In) => Promise<Out> {
  return batch<In, Out>({
    run: async (pushes) => new Map(await Promise.all(pushes.map(async (push) => [0, await call(push)] as const))),
    max: 1,
    inFlight,
    waitMs: databaseTimeMs,
    ...options,
  })
}
