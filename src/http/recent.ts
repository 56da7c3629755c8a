/** Values that are remembered for a while. */
export type Recent<Value> = {
  set(key: string, value: Value, ms: number): void
  /** A value that is still remembered, and for how many milliseconds. */
  get(key: string): { value: Value; leftMs: number } | undefined
  delete(key: string): void
  clear(): void
}

const maxEntries = 10_000

/** Remembers at most 10,000 values. Beyond that, it forgets those that were set first. */
export function createRecent<Value>(): Recent<Value> {
  // A map keeps the order of insertion.
  const entries = new Map<string, { value: Value; until: number }>()
  return {
    set(key, value, ms) {
      entries.delete(key)
      const [oldest] = entries.keys()
      if (entries.size >= maxEntries && oldest !== undefined) entries.delete(oldest)
      entries.set(key, { value, until: performance.now() + ms })
    },
    get(key) {
      const found = entries.get(key)
      if (found === undefined) return undefined
      const leftMs = found.until - performance.now()
      return leftMs > 0 ? { value: found.value, leftMs } : undefined
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  }
}
