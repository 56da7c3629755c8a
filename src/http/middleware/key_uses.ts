import { batch } from '../../database/batch.ts'
import type { Database } from '../../database/client.ts'
import { type Log, safeError } from '../../log.ts'
import { createRecent } from '../recent.ts'

const rememberMs = 60_000

/**
 * Records in the database that a key was used, at most once a minute and key, for operators. A request never waits for
 * that, and never fails by it.
 */
export function createKeyUses(db: Pick<Database, 'call'>, log: Pick<Log, 'debug'>): (keyId: string) => void {
  const recorded = createRecent<true>()
  const record = batch<string, undefined>({
    run: async (keyIds) => {
      await db.call('api.touch_api_keys', { key_ids: keyIds })
      return keyIds.map(() => undefined)
    },
    max: 1_000,
  })

  return (keyId) => {
    if (recorded.get(keyId)) return
    recorded.set(keyId, true, rememberMs)
    record(keyId).catch((error: unknown) => {
      recorded.delete(keyId)
      log.debug({ error: safeError(error) }, 'the use of a key was not recorded')
    })
  }
}
