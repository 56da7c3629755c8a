import { createServer } from 'node:http'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { type Listening, listen } from './network/listen.ts'
import { release } from './release.ts'

/** How many accounts have metrics of their own: without a bound, each new partner would cost Prometheus more. */
export const maxAccounts = 100

/**
 * Serves a registry to Prometheus as GET /metrics, on a port of its own that is not for partners. Port 0 takes any free
 * one. Cuts a connection on which nothing moves for `stalledMs`. Rejects if the port cannot be had.
 */
export async function startMetricsServer(
  port: number,
  host: string,
  registry: Registry,
  stalledMs = 10_000,
): Promise<Listening> {
  const server = createServer(async (request, response) => {
    // A request needs no body. One that it has is discarded.
    request.resume()
    if (request.url !== '/metrics') return void response.writeHead(404).end()
    try {
      const text = await registry.metrics()
      response.writeHead(200, { 'content-type': registry.contentType }).end(text)
    } catch {
      response.writeHead(500).end()
    }
  })
  server.headersTimeout = 10_000
  server.requestTimeout = 10_000
  server.timeout = stalledMs
  return await listen(server, host, port)
}

/** Adds what says which version runs: a gauge that is always 1, with the versions as labels. */
export function addBuildInfo(registry: Registry): void {
  new Gauge({
    name: 'supply_build_info',
    help: 'Always 1; the versions of the service and of Node are its labels.',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: release, node: process.version }, 1)
}

/** Adds the gauges of a pool of database connections, read at each scrape. */
export function addPoolMetrics(registry: Registry, usage: () => PoolUsage): void {
  new Gauge({
    name: 'supply_database_pool_connections',
    help: 'Connections to the database, by state: in_use, or idle.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const { inUse, idle } = usage()
      this.set({ state: 'in_use' }, inUse)
      this.set({ state: 'idle' }, idle)
    },
  })
  new Gauge({
    name: 'supply_database_pool_connections_max',
    help: 'The most connections to the database.',
    registers: [registry],
    collect() {
      this.set(usage().max)
    },
  })
  new Gauge({
    name: 'supply_database_pool_waiting',
    help: 'Statements that wait for a connection to the database.',
    registers: [registry],
    collect() {
      this.set(usage().waiting)
    },
  })
}

type PoolUsage = { inUse: number; idle: number; waiting: number; max: number }

/** For the time that an order takes, in seconds. */
export const orderBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400]

/**
 * Adds the metrics of orders that this process ended. Returns what notes one: its outcome, and the seconds since it was
 * placed.
 */
export function addEndedOrders(registry: Registry): (outcome: string, seconds: number) => void {
  const count = new Counter({
    name: 'supply_orders_ended_total',
    help: 'Orders that ended by a result that this process recorded, by outcome: full, partial, none.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const times = new Histogram({
    name: 'supply_order_end_duration_seconds',
    help: 'Time from placing an order to its end, by outcome, of orders that this process ended.',
    labelNames: ['outcome'],
    buckets: orderBuckets,
    registers: [registry],
  })
  return (outcome, seconds) => {
    count.inc({ outcome })
    times.observe({ outcome }, seconds)
  }
}
