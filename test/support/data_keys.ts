import { randomBytes } from 'node:crypto'
import { type DataKeys, parseDataKeys } from '../../src/sealing/data_keys.ts'

/** New random data keys with these ids; the first one seals. */
export function dataKeysOf(...ids: string[]): DataKeys {
  const keys = parseDataKeys(ids.map((id) => `${id}:${randomBytes(32).toString('base64')}`).join())
  if (keys === undefined) throw new Error('these are no ids of data keys')
  return keys
}

/** The keys of several lists as one list, in this order. */
export function joined(first: DataKeys, ...others: DataKeys[]): DataKeys {
  const [key, ...rest] = first
  return [key, ...rest, ...others.flat()]
}
