import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * Starts a balancer before a server on this machine: it closes an idle connection just when the next request arrives,
 * so nobody learns whether the server received that.
 */
export async function startIdleCloser(targetUrl: string): Promise<{ url: string; close(): Promise<void> }> {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    let isAnswered = false
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    near.on('data', (bytes) => (isAnswered ? near.resetAndDestroy() : far.write(bytes)))
    far.on('data', (bytes) => {
      isAnswered = true
      near.write(bytes)
    })
    far.on('end', () => near.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(targetUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
