import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { messageLength } from './requests.ts'

/** The ports of what the worker talks to. */
export type Ports = { supplier: number; receivers: number[]; hanging: number[] }

const receiverCount = 20
const hangingCount = 5

/**
 * A supplier that completes each item after `supplierMs`; receivers that take each webhook at once, and receivers that
 * take every connection and never answer. `onWebhook` gets the last part of the path and the moment it arrived.
 */
export async function startListeners(
  supplierMs: number,
  onWebhook: (reference: string, at: number) => void,
): Promise<Ports> {
  const answerLater = (answer: () => void) => (supplierMs > 0 ? void setTimeout(answer, supplierMs) : answer())
  const supplier = await listen((socket) => eachRequest(socket, () => answerLater(() => socket.write(completed))))
  const receivers: number[] = []
  for (let n = 0; n < receiverCount; n += 1) {
    const port = await listen((socket) =>
      eachRequest(socket, (request) => {
        const at = performance.now()
        socket.end(taken)
        onWebhook(referenceIn(request), at)
      }),
    )
    receivers.push(port)
  }
  const hanging: number[] = []
  for (let n = 0; n < hangingCount; n += 1) hanging.push(await listen((socket) => void socket.resume()))
  return { supplier, receivers, hanging }
}

const body = '{"status":"completed"}'
const completed = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
const taken = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

async function listen(handle: (socket: Socket) => void): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => {})
    handle(socket)
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Calls for each request on a connection, once it is whole. No client here sends one before the last is answered. */
function eachRequest(socket: Socket, call: (request: Buffer) => void): void {
  let received: Buffer | undefined
  socket.on('data', (chunk: Buffer) => {
    received = received === undefined ? chunk : Buffer.concat([received, chunk])
    const length = messageLength(received)
    if (length === undefined || received.length < length) return
    const request = received
    received = undefined
    call(request)
  })
}

function referenceIn(request: Buffer): string {
  const line = request.toString('latin1', 0, request.indexOf('\r\n'))
  const [, path = ''] = line.split(' ')
  return path.slice(path.lastIndexOf('/') + 1)
}
