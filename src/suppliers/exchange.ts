import { Agent, buildConnector, type Dispatcher } from 'undici'
import { clock } from '../clock.ts'
import { createBytes } from '../messages/bytes.ts'
import { retryAfterSeconds } from '../messages/retry_after.ts'
import { errorCode } from '../network/error_code.ts'
import { lookup } from './lookup.ts'

/** An HTTP answer. `body` is the beginning of a body that was too large. `retryAfter` is in seconds. */
export type HttpAnswer = { status: number; retryAfter: number | null; body: Uint8Array; tooLarge: boolean }

/**
 * The result of a request: an answer, or the reason why there is none, as a short, stable text without secrets.
 * `notSent`: why no byte of it can have reached the supplier; null: some may have.
 */
export type Exchange =
  | { answer: HttpAnswer }
  | { lost: string; httpStatus: number | null; retryAfter: number | null; notSent: NotSentCause | null }

/** Our settings make no request, there was no connection, or it became too late for it. */
type NotSentCause = 'settings' | 'unreachable' | 'late'

/** The result of a request that cannot be made from our settings. */
export function unsendable(problem: string): Exchange {
  return { lost: problem, httpStatus: null, retryAfter: null, notSent: 'settings' }
}

/** A request to a supplier; `url` carries the query. */
type SupplierRequest = {
  method: 'GET' | 'POST' | 'PUT'
  url: URL
  headers: Record<string, string>
  body?: string
  /** The most bytes of the answer that are read; without it, 1 MiB. */
  maxBytes?: number
  /** Present if the request places an order. */
  placing?: Placing
}

/**
 * How a request that places an order is sent. `maySend` is asked just before it is written. One that is not `repeatable`
 * goes over a fresh connection: a supplier may close an idle one just when the request arrives, and then it may have
 * taken the order.
 */
export type Placing = { maySend: () => boolean; repeatable: boolean }

/** Makes requests to suppliers over connections of its own. */
export type SupplierHttp = {
  /** Makes one request. Never rejects because of a supplier or the network. */
  request: (request: SupplierRequest, signal: AbortSignal) => Promise<Exchange>
  /** Runs a whole call, of one request or several, with a signal that ends it in time or when the caller's fires. */
  withinDeadline: <T>(run: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal) => Promise<T>
  close: () => Promise<void>
}

/** `reading` holds for each supplier how many bytes of its unfinished answers are in memory. */
type ReadLimits = { maxBytes: number; reading: Map<string, number> }
type Head = Pick<HttpAnswer, 'status' | 'retryAfter'>

const maxBodyBytes = 1024 * 1024
// Of all answers of one supplier that are being read.
const maxSupplierBytes = 4 * maxBodyBytes
const maxWaitSeconds = 3600
// Errors of a connect or of its TLS handshake: nothing of the request was sent.
const unconnected = new WeakSet<object>()

/**
 * Makes the connections of one protocol to its suppliers: HTTP/1.1, without proxy and redirects. Reads at most 1 MiB of
 * an answer, and 4 MiB of one supplier's answers at once. The number of calls under way bounds the number of
 * connections. A call takes `timeoutMs` at most.
 */
export function createSupplierHttp({ timeoutMs }: { timeoutMs: number }): SupplierHttp {
  // `withinDeadline` covers all, so undici's own timeouts, which start again with each part, are off.
  const settings = {
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: connectOrMark(timeoutMs),
  }
  const shared = new Agent(settings)
  const agents = new Set([shared])
  const reading = new Map<string, number>()

  async function onFreshConnection<T>(run: (agent: Agent) => Promise<T>): Promise<T> {
    const agent = new Agent(settings)
    agents.add(agent)
    try {
      return await run(agent)
    } finally {
      agents.delete(agent)
      await agent.destroy()
    }
  }
  return {
    request: (request, signal) => {
      const limits = { maxBytes: request.maxBytes ?? maxBodyBytes, reading }
      const { placing } = request
      if (placing === undefined) return performExchange(shared, optionsFor(request), signal, limits)
      const place = (agent: Agent) =>
        performExchange(agent.compose(askingFirst(placing.maySend)), optionsFor(request), signal, limits)
      return placing.repeatable ? place(shared) : onFreshConnection(place)
    },
    withinDeadline: (run, signal) => withinDeadline(timeoutMs, run, signal),
    close: async () => {
      await Promise.all([...agents].map((agent) => agent.destroy()))
    },
  }
}

/**
 * The URL of a path under a supplier's base URL; undefined if the base is no URL, or has credentials, a query or a
 * fragment. `path` begins with a slash, and its parts are encoded.
 */
export function urlUnder(baseUrl: string, path: string): URL | undefined {
  const base = URL.parse(baseUrl)
  if (base === null || !['http:', 'https:'].includes(base.protocol)) return undefined
  if (base.username !== '' || base.password !== '' || base.search !== '' || base.hash !== '') return undefined
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, '')
  const url = new URL(base.origin)
  // The path is not resolved as a reference: if it began with //, it would name another host.
  url.pathname = `${prefix}${path}`
  return url
}

function optionsFor({ method, url, headers, body, placing }: SupplierRequest): Dispatcher.RequestOptions {
  const target = {
    ...{ origin: url.origin, path: `${url.pathname}${url.search}`, method, headers },
    // Asks the supplier to close the connection.
    reset: placing?.repeatable === false,
  }
  // undici must not repeat a call: the retry rules decide that.
  return body === undefined ? target : { ...target, body, idempotent: false }
}

async function withinDeadline<T>(
  timeoutMs: number,
  run: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const controller = new AbortController()
  const cancel = () => controller.abort(new Error('cancelled'))
  const timer = setTimeout(() => controller.abort(new Error('timeout')), timeoutMs)
  signal?.addEventListener('abort', cancel)
  if (signal?.aborted) cancel()
  try {
    return await run(controller.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
}

class TooLate extends Error {}

/** undici calls `onRequestStart` just before it writes the request to a connection. */
function askingFirst(maySend: () => boolean): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    // The handler is this request's own.
    const start = handler.onRequestStart?.bind(handler)
    handler.onRequestStart = (...args) => {
      // guard: no order is sent after the lease of its call
      if (!maySend()) throw new TooLate()
      start?.(...args)
    }
    return dispatch(options, handler)
  }
}

async function performExchange(
  agent: Dispatcher,
  options: Dispatcher.RequestOptions,
  signal: AbortSignal,
  limits: ReadLimits,
): Promise<Exchange> {
  let head: Head | undefined
  try {
    const response = await unlessAborted(agent.request({ ...options, signal }), signal)
    head = { status: response.statusCode, retryAfter: waitAskedFor(response) }
    return { answer: { ...head, ...(await readBody(response.body, String(options.origin), limits)) } }
  } catch (error) {
    return {
      lost: signal.aborted ? messageOf(signal.reason) : lossOf(error),
      httpStatus: head?.status ?? null,
      retryAfter: head?.retryAfter ?? null,
      notSent: signal.aborted ? null : notSentCause(error),
    }
  }
}

/** Connects as undici does, and marks the errors of failed connects. A connection that ends later has other errors. */
function connectOrMark(timeout: number): buildConnector.connector {
  const connect = buildConnector({ timeout, allowH2: false, lookup })
  return (options, done) =>
    connect(options, (...result) => {
      if (result[0] !== null) unconnected.add(result[0])
      done(...result)
    })
}

function notSentCause(error: unknown): NotSentCause | null {
  if (error instanceof TooLate) return 'late'
  const code = errorCode(error)
  if (code === 'UND_ERR_INVALID_ARG') return 'settings'
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return null
  return error instanceof Error && unconnected.has(error) ? 'unreachable' : null
}

/** undici does not look at the signal of a request that waits for its connection before it has one. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject)
  })
}

/** The wait in seconds that a 429 asks for, at least 1 and at most an hour. */
function waitAskedFor({ statusCode, headers }: Dispatcher.ResponseData): number | null {
  if (statusCode !== 429) return null
  const seconds = retryAfterSeconds(headers['retry-after'], clock.now())
  return seconds === null ? null : Math.min(Math.max(seconds, 1), maxWaitSeconds)
}

/**
 * Reads an answer up to its limit. Throws if the answers of this supplier that are being read are too large together.
 */
async function readBody(
  stream: AsyncIterable<Uint8Array>,
  supplier: string,
  { maxBytes, reading }: ReadLimits,
): Promise<{ body: Uint8Array; tooLarge: boolean }> {
  const bytes = createBytes(maxBytes)
  const count = (change: number) => {
    const held = (reading.get(supplier) ?? 0) + change
    if (held > 0) reading.set(supplier, held)
    else reading.delete(supplier)
    return held
  }
  try {
    for await (const piece of stream) {
      const before = bytes.capacity
      if (!bytes.add(piece)) return { body: bytes.all(), tooLarge: true }
      if (count(bytes.capacity - before) > maxSupplierBytes) throw new TooMuchAtOnce()
    }
    return { body: bytes.all(), tooLarge: false }
  } finally {
    count(-bytes.capacity)
  }
}

class TooMuchAtOnce extends Error {}

/** A short, stable text: a code of the system or of undici, never a message, because messages may quote addresses. */
function lossOf(error: unknown): string {
  if (error instanceof TooLate) return 'too late to send it: the lease may have ended'
  if (error instanceof TooMuchAtOnce) return 'too much of its answers at once'
  const code = errorCode(error)
  if (code === undefined) return 'connection error'
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout'
  if (code === 'UND_ERR_INVALID_ARG') return 'the request cannot be made from these settings'
  return `connection error: ${code}`
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : 'cancelled'
}
