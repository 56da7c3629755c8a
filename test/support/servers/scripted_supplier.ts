import type { IncomingHttpHeaders } from 'node:http'
import { type Received, type Response, startSupplierServer } from './supplier_server.ts'

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
  /** Milliseconds since the epoch. */
  at: number
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
  /** The first request, past or future, that satisfies the predicate; rejects after `timeoutMs` (45 s). */
  waitForRequest: (predicate: (request: SupplierRequest) => boolean, timeoutMs?: number) => Promise<SupplierRequest>
  close: () => Promise<void>
}

type Waiter = { predicate: (request: SupplierRequest) => boolean; resolve: (request: SupplierRequest) => void }
type State = {
  requests: SupplierRequest[]
  counts: Map<string, number>
  handlers: Map<string, SupplierHandler>
  waiters: Set<Waiter>
}

const stillProcessing: SupplierAnswer = { status: 200, json: { status: 'processing' } }

/**
 * Starts a supplier on 127.0.0.1 whose every answer the test decides, by reference and method, and which records what
 * it received. Until told otherwise it answers `processing`. It does not check the token: tests read it from `headers`.
 */
export async function startScriptedSupplier({ token = 'scripted-token' } = {}): Promise<ScriptedSupplier> {
  const state: State = { requests: [], counts: new Map(), handlers: new Map(), waiters: new Set() }
  const server = await startSupplierServer(async (received) => {
    const request = record(state, received)
    const handler = state.handlers.get(request.reference) ?? state.handlers.get('*') ?? (() => stillProcessing)
    return handler(request)
  })
  const on: ScriptedSupplier['on'] = (reference, script) => {
    state.handlers.set(reference, typeof script === 'function' ? script : follow(script))
  }
  return {
    url: server.url,
    port: server.port,
    token,
    requests: state.requests,
    requestsFor: (reference, method) =>
      state.requests.filter((r) => r.reference === reference && (method === undefined || r.method === method)),
    on,
    setAnswer: (handler) => on('*', handler),
    waitForRequest: (predicate, timeoutMs = 45_000) => waitForRequest(state, predicate, timeoutMs),
    close: server.close,
  }
}

function record(state: State, { target: path, ...received }: Received): SupplierRequest {
  const { method } = received
  const reference = decodeURIComponent(path.split('/').at(-1) ?? '')
  const nth = (state.counts.get(`${method} ${reference}`) ?? 0) + 1
  state.counts.set(`${method} ${reference}`, nth)
  const request = { ...received, path, reference, nth, at: Date.now() }
  state.requests.push(request)
  for (const waiter of [...state.waiters]) {
    if (waiter.predicate(request)) waiter.resolve(request)
  }
  return request
}

function follow(script: SupplierScript): SupplierHandler {
  return ({ method, nth }) => {
    const answers = [method === 'PUT' ? script.put : script.get].flat()
    return answers[Math.min(nth, answers.length) - 1] ?? stillProcessing
  }
}

function waitForRequest(state: State, predicate: Waiter['predicate'], timeoutMs: number): Promise<SupplierRequest> {
  const past = state.requests.find(predicate)
  if (past !== undefined) return Promise.resolve(past)
  return new Promise((resolve, reject) => {
    const forget = () => {
      clearTimeout(timer)
      state.waiters.delete(waiter)
    }
    const timer = setTimeout(() => {
      forget()
      reject(new Error(`no such request within ${timeoutMs} ms; received: ${summary(state)}`))
    }, timeoutMs)
    const waiter: Waiter = {
      predicate,
      resolve: (request) => {
        forget()
        resolve(request)
      },
    }
    state.waiters.add(waiter)
  })
}

function summary({ requests }: State): string {
  return requests.map(({ method, path }) => `${method} ${path}`).join(', ') || 'nothing'
}
