import { randomBytes } from 'node:crypto'
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
