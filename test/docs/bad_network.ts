import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { request } from 'undici'

/** What happens to a POST. `silence`: its response is lost and the connection stays open. */
export type Fault = 'lost request' | 'silence' | 'reset' | 'half a response' | '503'

/** A server between a program and the API. Each POST meets the next fault of the queue, if there is one. */
export async function startBadNetwork(apiUrl: () => string) {
  const faults: { fault: Fault; met: () => void }[] = []
  const posts: { at: number; body: string }[] = []
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming)
    const isPost = incoming.method === 'POST'
    if (isPost) posts.push({ at: performance.now(), body: body.toString() })
    const next = isPost ? faults.shift() : undefined
    if (next?.fault === 'lost request') return next.met()
    if (next?.fault === '503') {
      outgoing.writeHead(503, { 'retry-after': '1' })
      outgoing.end('{"success":false,"error":"later","code":"UNAVAILABLE"}')
      return next.met()
    }
    const passed = Object.entries(incoming.headers).filter(([name]) => /^x-|^content-type$/.test(name))
    const answer = await request(`${apiUrl()}${incoming.url}`, {
      method: incoming.method as 'GET',
      headers: Object.fromEntries(passed),
      ...(isPost ? { body } : {}),
    })
    const { statusCode } = answer
    spoil(outgoing, statusCode, Buffer.from(await answer.body.arrayBuffer()), next?.fault)
    next?.met()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    posts,
    /** Resolves when a POST has met the fault. */
    meet: (fault: Fault) => new Promise<void>((met) => void faults.push({ fault, met })),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Sends a response of the API on, as far as the fault lets it pass. */
function spoil(outgoing: ServerResponse, status: number, body: Buffer, fault: Fault | undefined): void {
  if (fault === 'silence') return
  if (fault === 'reset') outgoing.socket?.resetAndDestroy()
  else if (fault === 'half a response') {
    outgoing.writeHead(status, { 'content-length': body.length })
    outgoing.write(body.subarray(0, 40), () => outgoing.destroy())
  } else outgoing.writeHead(status, { 'content-type': 'application/json' }).end(body)
}
