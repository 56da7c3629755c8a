import { batch } from '../../database/batch.ts'
import type { Database } from '../../database/client.ts'
import { type Log, safeError } from '../../log.ts'

const rememberMs = 60_000
const mostRemembered = 10_000

/**
 * Notes in the database that a key was used, at most once a minute a key. Operators see when that was last; it must not
 * make a request wait or fail. `now` is a clock in milliseconds.
 */
export function createKeyUses(
  db: Pick<Database, 'call'>,
  log: Pick<Log, 'debug'>,
  now: () => number = () => performance.now(),
): (keyId: string) => void {
  // In the order in which they were noted.
  const noted = new Map<string, number>()
  const touch = batch<string, undefined>({
    run: async (keyIds) => {
      await db.call('api.touch_api_keys', { key_ids: keyIds })
      return new Map(keyIds.map((_, index) => [index, undefined]))
    },
    max: 1_000,
  })

  function forgetOld(): void {
    for (const [keyId, at] of noted) {
      if (now() - at < rememberMs && noted.size < mostRemembered) return
      noted.delete(keyId)
    }
  }

  return (keyId) => {
    forgetOld()
    if (noted.has(keyId)) return
    noted.set(keyId, now())
    touch(keyId).catch((error: unknown) => {
      noted.delete(keyId)
      log.debug({ error: safeError(error) }, 'a key use was not noted')
    })
  }
}
