import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that listens. */
export type Listening = {
  url: string
  port: number
  /** Stops listening and cuts all connections. */
  close(): Promise<void>
}

/** Has an HTTP server listen; port 0 takes any free one. Rejects if the port cannot be had. */
export async function listen(server: Server, host: string, port: number): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address() as AddressInfo
  const urlHost = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${urlHost}:${address.port}`,
    port: address.port,
    async close() {
      await new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      })
    },
  }
}
