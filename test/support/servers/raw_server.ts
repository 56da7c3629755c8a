import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls'

/** A request as its bytes came. Header names are in lower case; of repeated ones the last counts. */
type RawRequest = { requestLine: string; headers: Record<string, string>; body: Buffer }

export type RawServer = {
  port: number
  /** The connections so far, whether or not a request came over them. */
  connections: Socket[]
  requests: RawRequest[]
  /** The TLS server names that clients asked for. */
  serverNames: (string | false | null)[]
  close(): Promise<void>
}

export type RawServerOptions = {
  /** Called with each whole request: writes whatever bytes it likes. A string is written as it stands. */
  onRequest?: string | ((socket: Socket, request: RawRequest) => void)
  onConnection?: (socket: Socket) => void
  /** Key and certificate in PEM, and what else is wanted, make it a TLS server. */
  tls?: TlsOptions
  host?: string
  port?: number
}

/** Starts a scripted server that speaks HTTP, TLS or neither, byte by byte, on 127.0.0.1. */
export async function startRawServer(options: RawServerOptions = {}): Promise<RawServer> {
  const connections: Socket[] = []
  const requests: RawRequest[] = []
  const serverNames: (string | false | null)[] = []
  const accept = (socket: Socket) => {
    socket.on('error', () => {})
    collectRequests(socket, (request) => {
      requests.push(request)
      if (typeof options.onRequest === 'string') socket.write(options.onRequest)
      else options.onRequest?.(socket, request)
    })
  }
  const server = options.tls === undefined ? createServer(accept) : createTlsServer(options.tls, accept)
  server.on('connection', (socket: Socket) => {
    connections.push(socket)
    socket.on('error', () => {})
    options.onConnection?.(socket)
  })
  server.on('secureConnection', (socket: TLSSocket) => serverNames.push(socket.servername))
  server.on('tlsClientError', () => {})
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    requests,
    serverNames,
    close: () =>
      new Promise((resolve) => {
        for (const socket of connections) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

function collectRequests(socket: Socket, onRequest: (request: RawRequest) => void): void {
  let received = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    const headEnd = received.indexOf('\r\n\r\n')
    if (headEnd === -1) return
    const [requestLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n')
    const pairs = lines.map((line) => /^([^:]+):\s*(.*)$/.exec(line)?.slice(1) ?? [line, ''])
    const headers = Object.fromEntries(pairs.map(([name = '', value = '']) => [name.toLowerCase(), value]))
    const end = headEnd + 4 + Number(headers['content-length'] ?? 0)
    if (received.length < end) return
    const body = received.subarray(headEnd + 4, end)
    received = received.subarray(end)
    onRequest({ requestLine, headers, body })
  })
}
