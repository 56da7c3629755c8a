import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that the scripted supplier received. `nth` counts the requests of this method for this reference, from 1. */
export type SupplierRequest = {
  method: string
  path: string
  reference: string
  headers: IncomingMessage['headers']
  rawBody: string
  /** The body as JSON; undefined if it is none. */
  body: unknown
  nth: number
  /** Milliseconds since the epoch. */
  at: number
}

/**
 * What it answers: a response, no response at all, or a connection that is cut. `delayMs` passes first; `stop` ends
 * the body half way, by silence (`hang`) or by a cut (`reset`).
 */
export type SupplierAnswer =
  | {
      status: number
      json?: unknown
      text?: string | Uint8Array
      headers?: Record<string, string | string[]>
      delayMs?: number
      stop?: 'hang' | 'reset'
    }
  | 'hang'
  | 'reset'

/** Decides the answer to a request. */
type SupplierHandler = (request: SupplierRequest) => SupplierAnswer | Promise<SupplierAnswer>

/** Answers by method: one for all requests, or a list whose last one is repeated. Without one: `processing`. */
type SupplierScript = {
  put?: SupplierAnswer | SupplierAnswer[]
  get?: SupplierAnswer | SupplierAnswer[]
}

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
  waitForRequest: (
    predicate: (request: SupplierRequest) => boolean,
    timeoutMs?: number,
  ) => Promise<SupplierRequest>
  close: () => Promise<void>
}

type Waiter = {
  predicate: (request: SupplierRequest) => boolean
  resolve: (request: SupplierRequest) => void
}
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
  const server = createServer((request, response) => void handle(state, request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const on: ScriptedSupplier['on'] = (reference, script) => {
    state.handlers.set(reference, typeof script === 'function' ? script : follow(script))
  }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    token,
    requests: state.requests,
    requestsFor: (reference, method) =>
      state.requests.filter(
        (r) => r.reference === reference && (method === undefined || r.method === method),
      ),
    on,
    setAnswer: (handler) => on('*', handler),
    waitForRequest: (predicate, timeoutMs = 45_000) => waitForRequest(state, predicate, timeoutMs),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function handle(state: State, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const received = await record(state, request)
  if (received === undefined) return
  const handler = state.handlers.get(received.reference) ?? state.handlers.get('*') ?? (() => stillProcessing)
  const answer = await handler(received)
  if (answer === 'hang') return
  if (answer === 'reset') return void request.socket.resetAndDestroy()
  if (answer.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.delayMs))
  send(answer, request, response)
}

async function record(state: State, request: IncomingMessage): Promise<SupplierRequest | undefined> {
  const rawBody = await readAll(request)
  if (rawBody === undefined) return undefined
  const method = request.method ?? ''
  const path = request.url ?? ''
  const reference = decodeURIComponent(path.split('/').at(-1) ?? '')
  const nth = (state.counts.get(`${method} ${reference}`) ?? 0) + 1
  state.counts.set(`${method} ${reference}`, nth)
  const received = {
    method,
    path,
    reference,
    headers: request.headers,
    rawBody,
    body: parseJson(rawBody),
    nth,
    at: Date.now(),
  }
  state.requests.push(received)
  for (const waiter of [...state.waiters]) {
    if (waiter.predicate(received)) waiter.resolve(received)
  }
  return received
}

function send(
  answer: Exclude<SupplierAnswer, string>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const body = Buffer.from(answer.text ?? (answer.json === undefined ? '' : JSON.stringify(answer.json)))
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    ...(answer.status === 204 || answer.status === 304 ? {} : { 'content-length': body.length }),
    ...answer.headers,
  })
  if (answer.stop === undefined) return void response.end(body)
  response.write(body.subarray(0, Math.ceil(body.length / 2)), () => {
    if (answer.stop === 'reset') request.socket.resetAndDestroy()
  })
}

function follow(script: SupplierScript): SupplierHandler {
  return ({ method, nth }) => {
    const answers = [method === 'PUT' ? script.put : script.get].flat()
    return answers[Math.min(nth, answers.length) - 1] ?? stillProcessing
  }
}

function waitForRequest(
  state: State,
  predicate: Waiter['predicate'],
  timeoutMs: number,
): Promise<SupplierRequest> {
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The whole body; undefined if the client went away. */
async function readAll(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk)
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString('utf8')
}
