import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A request as it came, whole. */
export type Received = {
  method: string
  /** The path with its query. */
  target: string
  headers: IncomingHttpHeaders
  rawBody: string
  /** The body as JSON; undefined if it is none. */
  body: unknown
}

/**
 * What is answered: a response, no response at all, or a connection that is cut. `delayMs` passes first; `stop` ends the
 * body half way, by silence (`hang`), a cut (`reset`) or an orderly end of the connection (`end`).
 */
export type Response =
  | {
      status: number
      json?: unknown
      text?: string | Uint8Array
      headers?: Record<string, string | string[]>
      delayMs?: number
      stop?: 'hang' | 'reset' | 'end'
    }
  | 'hang'
  | 'reset'

export type SupplierServer = { url: string; port: number; close(): Promise<void> }

/** Starts a server on 127.0.0.1 that answers what `answer` returns. */
export async function startSupplierServer(
  answer: (request: Received) => Response | Promise<Response>,
): Promise<SupplierServer> {
  const server = createServer(async (incoming, outgoing) => {
    const request = await receive(incoming)
    if (request === undefined) return
    const response = await answer(request)
    if (response === 'reset') incoming.socket.resetAndDestroy()
    else if (response !== 'hang') await send(response, outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function send(answer: Exclude<Response, string>, response: ServerResponse): Promise<void> {
  const { status, json, text = json === undefined ? '' : JSON.stringify(json), headers, delayMs, stop } = answer
  if (delayMs !== undefined) await sleep(delayMs)
  const bytes = Buffer.from(text as string)
  const isEmpty = status === 204 || status === 304
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(isEmpty ? {} : { 'content-length': bytes.length }),
    ...headers,
  })
  if (stop === undefined) return void response.end(isEmpty ? undefined : bytes)
  response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => {
    if (stop === 'reset') response.socket?.resetAndDestroy()
    if (stop === 'end') response.destroy()
  })
}

/** The whole request; undefined if the client went away. */
async function receive(incoming: IncomingMessage): Promise<Received | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of incoming) chunks.push(chunk)
  } catch {
    return undefined
  }
  const rawBody = Buffer.concat(chunks).toString('utf8')
  const { method = '', url: target = '', headers } = incoming
  return { method, target, headers, rawBody, body: parseJson(rawBody) }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
