import { createSecretKey, type KeyObject } from 'node:crypto'

/** A key that seals codes, secrets and tokens. Its id stands in what it sealed. */
export type DataKey = { id: string; key: KeyObject }

/** The keys of DATA_KEYS: the first one seals, and all of them open. */
export type DataKeys = readonly [DataKey, ...DataKey[]]

/** Reads DATA_KEYS: `id:base64 of 32 bytes`, separated by commas. Returns undefined if the text is wrong. */
export function parseDataKeys(text: string): DataKeys | undefined {
  const [first, ...others] = text.split(',').map((entry) => parseKey(entry.trim()))
  const keys = [first, ...others].filter((key) => key !== undefined)
  const ids = new Set(keys.map(({ id }) => id))
  return first !== undefined && ids.size === others.length + 1 ? [first, ...keys.slice(1)] : undefined
}

function parseKey(entry: string): DataKey | undefined {
  const [, id, base64] = /^([A-Za-z0-9_-]{1,20}):([A-Za-z0-9+/]{43}=?)$/.exec(entry) ?? []
  if (id === undefined || base64 === undefined) return undefined
  return { id, key: createSecretKey(Buffer.from(base64, 'base64')) }
}
