import type { Task } from 'graphile-worker'
import type { Database } from '../src/database/client.ts'
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
    await sealStock(db, sealing)
    // Last: a supplier that another transaction has locked delays no code.
    await replace(await db.call('work.list_secret_texts', { key_id }))
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
