import { isUtf8 } from 'node:buffer'

/** Parsed JSON; undefined if the bytes are not JSON in UTF-8. */
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

/**
 * JSON without white space between its parts. Nothing else changes: numbers stay as they are written, which parsing
 * would not let them. The JSON that PostgreSQL makes has spaces, of three kinds.
 */
export function compactJson(json: string): string {
  let compact = ''
  let kept = 0
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at)
    if (code === quote) {
      at = endOfString(json, at)
    } else if (code <= space) {
      compact += json.slice(kept, at)
      kept = at + 1
    }
  }
  return compact + json.slice(kept)
}

const quote = 0x22
const backslash = 0x5c
// In JSON, what lies below it outside of strings is white space too.
const space = 0x20

/** Where the string that begins at `start` has its closing quote. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let escapes = end
    while (json.charCodeAt(escapes - 1) === backslash) escapes -= 1
    if ((end - escapes) % 2 === 0) return end
  }
  return json.length
}
