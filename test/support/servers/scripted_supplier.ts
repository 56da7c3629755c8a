import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Response, startSupplierServer } from './supplier_server.ts'

/** A request that the scripted supplier received. `nth` counts the requests of this method for this reference, from 1. */
export type SupplierRequest = {
  method: string
  path: string
  reference: string
  headers: IncomingHttpHeaders
  rawBody: string
  /** The body as JSON; undefined if it is none. */
  body: unknown
  nth: number
}

export type SupplierAnswer = Response

/** Decides the answer to a request. */
type SupplierHandler = (request: SupplierRequest) => SupplierAnswer | Promise<SupplierAnswer>

/** Answers by method: one for all requests, or a list whose last one is repeated. Without one: `processing`. */
type SupplierScript = { put?: SupplierAnswer | SupplierAnswer[]; get?: SupplierAnswer | SupplierAnswer[] }

/** A running scripted supplier; see `startScriptedSupplier`. */
export type ScriptedSupplier = {
  url: string
  port: number
  token: string
  /** Everything it received, in order; also what had the wrong token. */
  requests: SupplierRequest[]
  /** The requests of one order, perhaps of one method only. */
  requestsFor: (reference: string, method?: 'PUT' | 'GET') => SupplierRequest[]
  /** Sets the answers for one reference, or for all that have none of their own (`*`). The last call counts. */
  on: (reference: string, script: SupplierScript | SupplierHandler) => void
  /** The same as `on('*', handler)`. */
  setAnswer: (handler: SupplierHandler) => void
  /** The first request, past or future, that satisfies the predicate; rejects after 45 s. */
  waitForRequest: (predicate: (request: SupplierRequest) => boolean) => Promise<SupplierRequest>
  close: () => Promise<void>
}

/** Answers of the protocol `http`. */
export const done = (codes?: string[]): SupplierAnswer => ({ status: 200, json: { status: 'completed', codes } })
export const underWay: SupplierAnswer = { status: 202, json: { status: 'processing' } }
export const neverReceived: SupplierAnswer = { status: 404, json: {} }

const stillProcessing: SupplierAnswer = { status: 200, json: { status: 'processing' } }

/**
 * Starts a supplier on 127.0.0.1 whose every answer the test decides, by reference and method, and which records what
 * it received. Until told otherwise it answers `processing`. It does not check the token: tests read it from `headers`.
 */
export async function startScriptedSupplier({ token = 'scripted-token' } = {}): Promise<ScriptedSupplier> {
  const requests: SupplierRequest[] = []
  const counts = new Map<string, number>()
  const handlers = new Map<string, SupplierHandler>()
  const server = await startSupplierServer(({ target: path, ...received }) => {
    const reference = decodeURIComponent(path.split('/').at(-1) ?? '')
    // It reports no balance. Workers ask for it at times that no test decides.
    if (reference === 'balance' && !handlers.has(reference)) return { status: 404, json: {} }
    const counted = `${received.method} ${reference}`
    const nth = (counts.get(counted) ?? 0) + 1
    counts.set(counted, nth)
    const request = { ...received, path, reference, nth }
    requests.push(request)
    const handler = handlers.get(reference) ?? handlers.get('*')
    return handler === undefined ? stillProcessing : handler(request)
  })
  const on: ScriptedSupplier['on'] = (reference, script) => {
    handlers.set(reference, typeof script === 'function' ? script : follow(script))
  }
  return {
    ...{ url: server.url, port: server.port, close: server.close, token, requests, on },
    requestsFor: (reference, method) =>
      requests.filter((r) => r.reference === reference && (method === undefined || r.method === method)),
    setAnswer: (handler) => on('*', handler),
    waitForRequest: (predicate) => waitForRequest(requests, predicate),
  }
}

/** Has it take each order once, and be done with every other one only when it is asked for it. */
export function takeOrdersOnce({ setAnswer }: ScriptedSupplier): void {
  const taken = new Map<string, number>()
  setAnswer(({ method, reference }) => {
    if (method === 'PUT' && !taken.has(reference)) taken.set(reference, taken.size)
    const place = taken.get(reference)
    if (place === undefined) return { status: 404, json: {} }
    const isDone = method === 'GET' || place % 2 === 0
    return { status: 200, json: { status: isDone ? 'completed' : 'processing' }, delayMs: 100 }
  })
}

function follow(script: SupplierScript): SupplierHandler {
  return ({ method, nth }) => {
    const answers = [method === 'PUT' ? script.put : script.get].flat()
    return answers[Math.min(nth, answers.length) - 1] ?? stillProcessing
  }
}

async function waitForRequest(
  requests: SupplierRequest[],
  predicate: (request: SupplierRequest) => boolean,
): Promise<SupplierRequest> {
  for (let waitedMs = 0; waitedMs < 45_000; waitedMs += 5) {
    const found = requests.find(predicate)
    if (found !== undefined) return found
    await sleep(5)
  }
  const received = requests.map(({ method, path }) => `${method} ${path}`).join(', ')
  throw new Error(`no such request came within 45 s; received: ${received || 'nothing'}`)
}
