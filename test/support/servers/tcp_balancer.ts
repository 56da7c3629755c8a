import { once } from 'node:events'
import { request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type TcpBalancer = {
  port: number
  /** Adds a server, and waits until it is ready and gets connections. */
  add(url: string): Promise<void>
  /** To how many servers new connections go. */
  ready(): number
  close(): Promise<void>
}

const askMs = 50

/**
 * Hands out connections in turn to the HTTP servers that are ready, as a balancer on the transport layer does: it asks
 * each for `/readyz`, sees no requests, moves no open connection, and repeats nothing. Whom it finds no server for, or
 * none that takes the connection, is cut off.
 */
export async function startTcpBalancer(): Promise<TcpBalancer> {
  const servers = new Map<string, boolean>()
  const sockets = new Set<Socket>()
  let turn = 0
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  const readyOnes = () => [...servers].flatMap(([url, isReady]) => (isReady ? [new URL(url)] : []))
  const listener = createServer((near) => {
    keep(near)
    const ready = readyOnes()
    const target = ready[turn++ % ready.length]
    if (target === undefined) return void near.resetAndDestroy()
    const far = connect(Number(target.port), target.hostname)
    keep(far)
    near.pipe(far)
    far.pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const asking = setInterval(async () => {
    for (const url of servers.keys()) isReady(url).then((answer) => servers.set(url, answer))
  }, askMs)

  return {
    port: (listener.address() as AddressInfo).port,
    ready: () => readyOnes().length,
    async add(url) {
      while (!(await isReady(url)));
      servers.set(url, true)
    },
    async close() {
      clearInterval(asking)
      listener.close()
      for (const socket of sockets) socket.destroy()
      await once(listener, 'close')
    },
  }
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request(`${url}/readyz`, { agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    asked.on('error', () => resolve(false))
    asked.end()
  })
}
