import { request } from 'undici'
import { type Received, type Response, startSupplierServer } from '../support/servers/supplier_server.ts'

/** What happens to a POST. `silence`: its response is lost and the connection stays open. */
export type Fault = 'lost request' | 'silence' | 'reset' | 'half a response' | '503'

/** A server between a program and the API. Each POST meets the next fault of the queue, if there is one. */
export async function startBadNetwork(apiUrl: () => string) {
  const faults: { fault: Fault; met: () => void }[] = []
  const posts: { at: number; body: string }[] = []
  const server = await startSupplierServer(async (received) => {
    const isPost = received.method === 'POST'
    if (isPost) posts.push({ at: performance.now(), body: received.rawBody })
    const next = isPost ? faults.shift() : undefined
    const response = await pass(apiUrl(), received, next?.fault)
    next?.met()
    return response
  })
  return {
    url: server.url,
    posts,
    /** Resolves when a POST has met the fault. */
    meet: (fault: Fault) => new Promise<void>((met) => void faults.push({ fault, met })),
    close: server.close,
  }
}

/** Sends a request on, and its response back, as far as the fault lets them pass. */
async function pass(apiUrl: string, received: Received, fault: Fault | undefined): Promise<Response> {
  const { method, target, headers, rawBody } = received
  if (fault === 'lost request') return 'hang'
  if (fault === '503') {
    const json = { success: false, error: 'later', code: 'UNAVAILABLE' }
    return { status: 503, headers: { 'retry-after': '1' }, json }
  }
  const passed = Object.entries(headers).filter(([name]) => /^x-|^content-type$/.test(name))
  const answer = await request(`${apiUrl}${target}`, {
    method: method as 'GET',
    headers: Object.fromEntries(passed),
    body: method === 'POST' ? rawBody : null,
  })
  const text = await answer.body.text()
  if (fault === 'silence') return 'hang'
  if (fault === 'reset') return 'reset'
  return { status: answer.statusCode, text, ...(fault === 'half a response' ? { stop: 'end' as const } : {}) }
}
