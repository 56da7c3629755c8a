import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type TcpProxy = {
  port: number
  /** The target's URL with the proxy's address in place of the target's. */
  url: string
  /** `pass`: a line to the target. `refuse`: connections break off at once. `swallow`: nothing comes through or back. */
  set(mode: 'pass' | 'refuse' | 'swallow'): void
  close(): Promise<void>
}

/** Stands between a client and a server on this machine, and can become a broken network. */
export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  let mode: 'pass' | 'refuse' | 'swallow' = 'pass'
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((near) => {
    keep(near)
    if (mode === 'refuse') return void near.resetAndDestroy()
    const far = connect(Number(target.port), target.hostname)
    keep(far)
    near.on('data', (chunk) => mode === 'pass' && far.write(chunk))
    far.on('data', (chunk) => mode === 'pass' && near.write(chunk))
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = new URL(targetUrl)
  url.host = `127.0.0.1:${port}`
  return {
    port,
    url: url.href,
    set(next) {
      mode = next
      if (mode === 'refuse') for (const socket of sockets) socket.resetAndDestroy()
    },
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
