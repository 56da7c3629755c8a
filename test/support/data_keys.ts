import { randomBytes } from 'node:crypto'
import { connectWorker } from '../../src/commands/connections.ts'
import { openSealing } from '../../src/commands/sealing.ts'
import { type DataKeys, parseDataKeys } from '../../src/sealing/data_keys.ts'

/** A new random data key with this id, as DATA_KEYS writes it. */
export const dataKeyText = (id: string) => `${id}:${randomBytes(32).toString('base64')}`

/** A new random data key with this id. */
export function dataKeysOf(id: string): DataKeys {
  const keys = parseDataKeys(dataKeyText(id))
  if (keys === undefined) throw new Error('this is no id of a data key')
  return keys
}

/** The keys of two lists as one list, in this order; the first one seals. */
export function joined(first: DataKeys, second: DataKeys): DataKeys {
  return [...first, ...second]
}

/** Registers the first data key of a database, as its first worker does at its start. */
export async function registerFirstKey(databaseUrl: string, dataKeys: DataKeys): Promise<void> {
  const db = connectWorker(databaseUrl)
  try {
    await openSealing(dataKeys, db, 'work')
  } finally {
    await db.end()
  }
}
