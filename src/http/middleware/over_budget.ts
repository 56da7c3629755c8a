import { clientNetwork } from './client_address.ts'

/** A used-up budget: requests per window, and the seconds until the window ends (1..60). */
export type UsedBudget = { limit: number; reset: number }

/** The clients whose budget is used up, as far as this process knows. */
export type OverBudget = {
  /** The used-up budget of a client; undefined if it is not known to be used up. */
  find(client: string): UsedBudget | undefined
  /** Notes that a client has used up its budget. */
  add(client: string, budget: UsedBudget): void
}

const pruneAt = 10_000

/**
 * Makes the list of clients over their budget: their requests are refused without a call to the database until their
 * window ends.
 * `now` is a clock in milliseconds.
 */
export function createOverBudget(now: () => number = () => performance.now()): OverBudget {
  const known = new Map<string, { limit: number; until: number }>()

  function prune(): void {
    for (const [network, { until }] of known) {
      if (until <= now()) known.delete(network)
    }
  }

  return {
    find(client) {
      const network = clientNetwork(client)
      const found = known.get(network)
      if (found === undefined) return undefined
      const reset = Math.ceil((found.until - now()) / 1000)
      if (reset > 0) return { limit: found.limit, reset }
      known.delete(network)
      return undefined
    },
    add(client, { limit, reset }) {
      if (known.size >= pruneAt) prune()
      known.set(clientNetwork(client), { limit, until: now() + reset * 1000 })
    },
  }
}
