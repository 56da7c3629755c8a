import { createServer } from 'node:http'
import { Gauge, type Registry } from 'prom-client'
import { type Listening, listen } from './common/listen.ts'

/**
 * Serves a registry to Prometheus as GET /metrics, on a port of its own that is not for partners. Port 0 takes any free
 * one. Rejects if the port cannot be had.
 */
export async function startMetricsServer(port: number, host: string, registry: Registry): Promise<Listening> {
  const server = createServer(async (request, response) => {
    // A body that a request has all the same is discarded.
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
  return await listen(server, host, port)
}

/** Adds the gauges of a pool of database connections, read at each scrape. */
export function addPoolMetrics(registry: Registry, usage: () => PoolUsage): void {
  new Gauge({
    name: 'database_pool_connections',
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
    name: 'database_pool_connections_max',
    help: 'The most connections to the database.',
    registers: [registry],
    collect() {
      this.set(usage().max)
    },
  })
  new Gauge({
    name: 'database_pool_waiting',
    help: 'Statements that wait for a connection to the database.',
    registers: [registry],
    collect() {
      this.set(usage().waiting)
    },
  })
}

type PoolUsage = { inUse: number; idle: number; waiting: number; max: number }
