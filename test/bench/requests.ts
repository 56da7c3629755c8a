import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const longestMs = 15_000

/** What a connection answers when no response came. */
export const noAnswer = 0

/**
 * A keep-alive connection to the API over which one request at a time goes out as it was built and of whose response
 * only the status is read. A client library would take more of the CPU than it leaves to what is measured.
 */
export class Connection {
  readonly #port: number
  #socket: Socket | undefined
  #received: Buffer | undefined
  #answer: ((status: number) => void) | undefined

  constructor(port: number) {
    this.#port = port
  }

  /** Connects, so that the first request does not have to. */
  async open(): Promise<void> {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    socket.setTimeout(longestMs, () => socket.destroy())
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#socket = undefined
      this.#settle(noAnswer)
    })
    this.#socket = socket
  }

  /** Sends a request; returns the status of its response, or `noAnswer`. */
  async send(request: string): Promise<number> {
    if (this.#socket === undefined) {
      try {
        await this.open()
      } catch {
        return noAnswer
      }
    }
    return new Promise((resolve) => {
      this.#answer = resolve
      this.#socket?.write(request, 'latin1')
    })
  }

  close(): void {
    this.#socket?.destroy()
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk])
    const length = messageLength(this.#received)
    if (length === undefined || this.#received.length < length) return
    const status = Number(this.#received.toString('latin1', 9, 12))
    this.#settle(status)
  }

  #settle(status: number): void {
    this.#received = undefined
    const answer = this.#answer
    this.#answer = undefined
    answer?.(status)
  }
}

const headEnd = '\r\n\r\n'

/** How long the HTTP message is that begins here; undefined while its head is not whole. */
export function messageLength(message: Buffer): number | undefined {
  const end = message.indexOf(headEnd)
  if (end < 0) return undefined
  const length = /\r\ncontent-length: *(\d+)/i.exec(message.toString('latin1', 0, end))?.[1] ?? '0'
  return end + headEnd.length + Number(length)
}

/** Opens so many connections to the API. */
export async function openConnections(port: number, count: number): Promise<Connection[]> {
  const connections = Array.from({ length: count }, () => new Connection(port))
  await Promise.all(connections.map((connection) => connection.open()))
  return connections
}

/** The request that reads a path with a key. */
export function readRequest(key: string, path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${key}\r\n\r\n`
}

/** Who orders, and where the result goes, less the order's own reference; null: nowhere. */
export type Shopper = { key: string; callback: string | null }

/** The product that is ordered: a top-up for 1.00. */
export const productId = 1

const referenceLength = 10

/** An order's own reference, which all have the same length, so that all requests of a shopper have too. */
export function referenceOf(n: number): string {
  return n.toString(36).padStart(referenceLength, '0')
}

/** Builds all of a shopper's request for an order once, but for the order's reference. */
export function orderRequest({ key, callback }: Shopper): (reference: string) => string {
  const items = `[{"productId":${productId},"deliveryData":{"gameUserId":"12345"}}]`
  const opening = '{"externalOrderId":"'
  const middle = callback === null ? `","items":${items}}` : `","items":${items},"callbackUrl":"${callback}/`
  const closing = callback === null ? '' : '"}'
  const references = callback === null ? 1 : 2
  const length = opening.length + middle.length + closing.length + references * referenceLength
  const head =
    `POST /b2b/orders HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${opening}`
  if (callback === null) return (reference) => `${head}${reference}${middle}`
  return (reference) => `${head}${reference}${middle}${reference}${closing}`
}
