import { originAllowed, parseOrigin } from '../../network/origin.ts'

/** The allowlists of the keys that were let in lately. */
export type KeyOrigins = {
  /** Remembers the allowlist of a key, if it has one; spaces separate its entries. */
  add(keyHash: string, allowedOrigins: string | null): void
  /** Whether a remembered allowlist of the key permits an origin. */
  allow(keyHash: string, origin: string): boolean
}

const rememberMs = 60_000
const maxKeys = 10_000

/** Remembers allowlists for a minute, so that a client over its budget costs no database call. */
export function createKeyOrigins(now: () => number = () => performance.now()): KeyOrigins {
  const known = new Map<string, { allowedOrigins: string[]; until: number }>()

  return {
    add(keyHash, allowedOrigins) {
      known.delete(keyHash)
      if (allowedOrigins === null) return
      // A map keeps the order of insertion: its first key is the oldest one.
      const [oldest] = known.keys()
      if (known.size >= maxKeys && oldest !== undefined) known.delete(oldest)
      known.set(keyHash, { allowedOrigins: allowedOrigins.split(' '), until: now() + rememberMs })
    },
    allow(keyHash, origin) {
      const found = known.get(keyHash)
      const parsed = parseOrigin(origin)
      if (found === undefined || parsed === undefined || found.until <= now()) return false
      return originAllowed(parsed, found.allowedOrigins)
    },
  }
}
