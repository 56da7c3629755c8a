import type { Task } from 'graphile-worker'
import type { Database } from '../src/database/client.ts'
import { isConflict } from '../src/database/errors.ts'
import { jobId } from '../src/messages/job_id.ts'
import { resealed, type StoredTexts } from '../src/sealing/reseal.ts'
import type { Sealing } from '../src/sealing/sealing.ts'

// Sealing so many takes 10 ms.
const codesAtOnce = 500

/**
 * Makes the task that seals what an operator typed in SQL: the codes of `ops.settle_item` and `ops.replace_code`, with
 * which it then does what the operator asked for, the tokens of `ops.upsert_supplier`, and codes of our own stock. The
 * job names an item, or nothing.
 */
export function createSealTyped({ db, sealing }: { db: Database; sealing: Sealing }): Task {
  async function seal(payload: unknown): Promise<void> {
    const { keyId: key_id } = sealing
    if (key_id === undefined) return
    const wanted_id = jobId(payload)
    for (const { item_id, version, codes } of await db.call('work.list_typed_codes', { wanted_id })) {
      const sealed = (codes as string[]).map((code) => sealing.sealCode(code, item_id))
      await db.call('work.use_typed_codes', { wanted_id, version, codes: sealed })
    }
    const replace = async (rows: unknown[]) => {
      const changes = resealed(rows as StoredTexts[], sealing)
      if (changes.length > 0) await db.call('work.replace_texts', { changes })
    }
    await replace(await db.call('work.list_item_texts', { wanted_id, key_id }))
    // What another transaction has locked delays nothing else. The job is tried again soon.
    const held: unknown[] = []
    const unlessHeld = (sealed: Promise<void>) =>
      sealed.catch((error) => {
        if (!isConflict(error)) throw error
        held.push(error)
      })
    await unlessHeld(sealStock(db, sealing))
    for (const secret of await db.call('work.list_secret_texts', { key_id })) await unlessHeld(replace([secret]))
    if (held.length > 0) throw held[0]
  }
  return (payload) => sealing.store(() => seal(payload))
}

/** Seals codes of our own stock, also those of imports that nobody applied yet. */
async function sealStock(db: Database, sealing: Sealing): Promise<void> {
  for (;;) {
    const codes = await db.call('work.list_unsealed_codes', { page_limit: codesAtOnce })
    if (codes.length === 0) return
    await db.call('work.replace_texts', { changes: resealed(codes as StoredTexts[], sealing) })
  }
}
