import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { addBuildInfo, addEndedOrders, maxAccounts } from '../metrics.ts'

/** The metrics of the API, for Prometheus. */
export type HttpMetrics = {
  registry: Registry
  /** Notes an answered request. `route` is the pattern, never the path: paths have no bounds. */
  request(labels: { method: string; route: string | undefined; status: number }, seconds: number): void
  /** Notes that a batch of this size went to the database. */
  batch(name: string, size: number): void
  /** Counts an order that an account placed, with its total in the account's currency. */
  placedOrder(account: { id: string; currency: string }, total: number): void
  /** Counts an order of an account that was refused, by the code of the refusal. */
  refusedOrder(account: { id: string }, code: string): void
  /** Notes an order that ended by a result that its supplier pushed, so long after it was placed. */
  endedOrder(outcome: string, seconds: number): void
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Makes a registry with the process's own metrics and those of the API. */
export function createHttpMetrics(): HttpMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  addBuildInfo(registry)
  const requests = new Histogram({
    name: 'supply_http_request_duration_seconds',
    help: 'Time to answer a request, by method, route pattern and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3, 10],
    registers: [registry],
  })
  const batches = new Histogram({
    name: 'supply_database_batch_size',
    help: 'How many requests shared a call to the database, by kind of batch.',
    labelNames: ['batch'],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers: [registry],
  })
  const placed = new Counter({
    name: 'supply_orders_placed_total',
    help: 'Orders that were placed, by currency. A repeated request is not counted.',
    labelNames: ['currency'],
    registers: [registry],
  })
  const amounts = new Counter({
    name: 'supply_orders_placed_amount_total',
    help: 'What was charged for the placed orders, in their currency.',
    labelNames: ['currency'],
    registers: [registry],
  })
  const refused = new Counter({
    name: 'supply_orders_refused_total',
    help: 'Orders that were refused for what they asked for, by code.',
    labelNames: ['code'],
    registers: [registry],
  })
  const countForAccount = addAccountCounter(registry)
  return {
    registry,
    placedOrder({ id, currency }, total) {
      placed.inc({ currency })
      amounts.inc({ currency }, total)
      countForAccount(id, 'placed')
    },
    refusedOrder({ id }, code) {
      refused.inc({ code })
      countForAccount(id, code)
    },
    request({ method, route, status }, seconds) {
      const known = knownMethods.has(method) ? method : 'other'
      requests.observe({ method: known, route: route ?? 'none', status }, seconds)
    },
    endedOrder: addEndedOrders(registry),
    batch(name, size) {
      batches.observe({ batch: name }, size)
    },
  }
}

/**
 * Adds the orders of the busiest accounts by result. Returns what counts one order: placed, or the code of its refusal.
 */
function addAccountCounter(registry: Registry): (account: string, result: string) => void {
  const counts = new Map<string, Map<string, number>>()
  new Counter({
    name: 'supply_account_orders_total',
    help: `Orders of the ${maxAccounts} busiest accounts, by account and result: placed, or the code of the refusal.`,
    labelNames: ['account', 'result'],
    registers: [registry],
    collect() {
      this.reset()
      const orders = (results: Map<string, number>) => [...results.values()].reduce((sum, n) => sum + n, 0)
      const busiest = [...counts].sort(([, one], [, other]) => orders(other) - orders(one)).slice(0, maxAccounts)
      for (const [account, results] of busiest) {
        for (const [result, count] of results) this.inc({ account, result }, count)
      }
    },
  })
  return (account, result) => {
    const results = counts.get(account) ?? new Map<string, number>()
    counts.set(account, results.set(result, (results.get(result) ?? 0) + 1))
  }
}
