/** A pool that fetches jobs at the moments at which they become due. */
export type WakeUps = {
  /** Fetches now, or after this time in milliseconds. */
  plan(delayMs: number): void
  /** Forgets what is planned. */
  clear(): void
}

/** The longest delay that a notification may name, in milliseconds. What is due later is found by polling. */
const maxDelayMs = 60_000
/** Fetches that are planned within this time share one: any login can notify. */
const tickMs = 50

/**
 * Plans the fetches of a pool. Each comes up to 50 ms after its time and never before it, because a fetch that finds the
 * job not due leaves it to the next poll.
 */
export function createWakeUps(fetch: () => void): WakeUps {
  const planned = new Map<number, NodeJS.Timeout>()
  return {
    plan(delayMs) {
      if (!(delayMs > 0)) return fetch()
      if (delayMs > maxDelayMs) return
      const now = performance.now()
      const tick = Math.ceil((now + delayMs) / tickMs + 0.1)
      if (planned.has(tick)) return
      const wake = () => {
        planned.delete(tick)
        fetch()
      }
      planned.set(tick, setTimeout(wake, tick * tickMs - now).unref())
    },
    clear() {
      for (const timer of planned.values()) clearTimeout(timer)
      planned.clear()
    },
  }
}
