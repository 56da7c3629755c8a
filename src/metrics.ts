import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'

export type MetricsServer = { port: number; close(): Promise<void> }

/**
 * Serves a registry to Prometheus as GET /metrics, on a port of its own that is not for partners. Port 0 takes any free
 * one. Rejects if the port cannot be had.
 */
export async function startMetricsServer(
  port: number,
  host: string,
  registry: Registry,
): Promise<MetricsServer> {
  const server = createServer(async (request, response) => {
    // No request here has a body: one that comes nevertheless is forgotten.
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
  server.listen(port, host)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
