import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type TcpProxy = {
  port: number
  /** The target's URL with the proxy's address in place of the target's. */
  url: string
  /**
   * `pass`: a line to the target. `refuse`: connections break off at once. `swallow`: nothing comes through or back.
   * `hold`: as `pass` for connections that are there, as `swallow` for new ones.
   */
  set(mode: Mode): void
  /** Forgets the connections of now: they stay open, and nothing comes through or back. New ones work. */
  forget(): void
  /**
   * Breaks the connection off on which PostgreSQL gives the next answer that holds these bytes, once it has given all of
   * it: what was asked for is committed, and the client never learns of it. Resolves then.
   */
  loseAnswerWith(text: string): Promise<void>
  /** As `loseAnswerWith`, but the connection stays open: the client waits for an answer that never comes. */
  holdAnswerWith(text: string): Promise<void>
  /** How many connections came so far. */
  connections(): number
  close(): Promise<void>
}

type Mode = 'pass' | 'refuse' | 'swallow' | 'hold'

// The end of PostgreSQL's answer to a statement outside a transaction.
const readyForQuery = Buffer.from('Z\0\0\0\x05I')

/** Stands between a client and a server on this machine, and can become a broken network. */
export async function startTcpProxy(targetUrl: string): Promise<TcpProxy> {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  let mode: Mode = 'pass'
  const forgotten = new Set<Socket>()
  let doomed: { text: string; end: (near: Socket) => void } | undefined
  let connections = 0
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => [sockets, forgotten].map((set) => set.delete(socket)))
  }
  const doom = (text: string, how: (near: Socket) => void): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = (near: Socket) => {
      how(near)
      resolve()
    }
    doomed = { text, end }
    return promise
  }
  const server = createServer((near) => {
    connections += 1
    keep(near)
    if (mode === 'refuse') return void near.resetAndDestroy()
    const passing: Mode[] = mode === 'hold' ? [] : ['pass', 'hold']
    const far = connect(Number(target.port), target.hostname)
    keep(far)
    const passes = () => passing.includes(mode) && !forgotten.has(near)
    let lost: ((near: Socket) => void) | undefined
    near.on('data', (chunk) => passes() && far.write(chunk))
    far.on('data', (chunk) => {
      if (doomed !== undefined && passes() && chunk.includes(doomed.text)) {
        lost = doomed.end
        doomed = undefined
      }
      if (lost === undefined) return void (passes() && near.write(chunk))
      if (!chunk.subarray(-readyForQuery.length).equals(readyForQuery)) return
      lost(near)
    })
    near.on('close', () => far.destroy())
    far.on('close', () => mode === 'swallow' || near.destroy())
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
    forget() {
      for (const socket of sockets) forgotten.add(socket)
    },
    loseAnswerWith: (text) => doom(text, (near) => near.resetAndDestroy()),
    holdAnswerWith: (text) => doom(text, (near) => forgotten.add(near)),
    connections: () => connections,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
