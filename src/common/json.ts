import { isUtf8 } from 'node:buffer'

/** JSON that was parsed, or undefined where the bytes are no JSON in UTF-8. */
export type ParsedJson = { value: unknown } | undefined

/** Parses JSON in UTF-8. */
export function parseJson(bytes: Uint8Array): ParsedJson {
  if (!isUtf8(bytes)) return undefined
  try {
    return { value: JSON.parse(new TextDecoder().decode(bytes)) }
  } catch {
    return undefined
  }
}
