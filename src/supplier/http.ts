import { Agent, type Dispatcher } from 'undici'
import { createBytes } from '../common/bytes.ts'
import { errorCode } from '../common/error_code.ts'
import { retryAfterSeconds } from '../common/retry_after.ts'
import type { AdapterFactory, SupplierCall } from './adapter.ts'
import { type HttpAnswer, interpretAnswer, type SupplierOutcome, unknown } from './outcome.ts'

type Method = 'PUT' | 'GET'
type Head = Pick<HttpAnswer, 'status' | 'retryAfter'>
type Exchange =
  | { answer: HttpAnswer }
  | { lost: string; httpStatus: number | null; retryAfter: number | null }

const bodyLimit = 1024 * 1024
const longestWait = 3600

/**
 * The protocol `http`: PUT and GET {base}/orders/{reference} with a bearer token.
 *
 * The connections are this adapter's own: HTTP/1.1, no proxy, no redirect followed. How many there are is bounded by
 * how many calls the process makes at once. An answer is read up to 1 MiB.
 */
export const createHttpAdapter: AdapterFactory = ({ timeoutMs }) => {
  // `withinDeadline` covers all, so undici's own timeouts, which start anew with each part, are off.
  const agent = new Agent({
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: timeoutMs },
  })
  const ask = (method: Method) => (call: SupplierCall, signal?: AbortSignal) =>
    askSupplier({ agent, timeoutMs, method, call, signal })
  return { put: ask('PUT'), get: ask('GET'), close: () => agent.destroy() }
}

type Question = {
  agent: Agent
  timeoutMs: number
  method: Method
  call: SupplierCall
  signal: AbortSignal | undefined
}

async function askSupplier(question: Question): Promise<SupplierOutcome> {
  const { call, method } = question
  const url = orderUrl(call)
  if (url === undefined) return unknown('the base URL of the supplier is not usable')
  const exchange = await withinDeadline(question, (signal) =>
    performExchange(question.agent, requestFor(url, method, call), signal),
  )
  return 'answer' in exchange
    ? interpretAnswer({ method, reference: call.reference, token: call.token }, exchange.answer)
    : unknown(exchange.lost, exchange)
}

function orderUrl(call: SupplierCall): URL | undefined {
  const base = URL.parse(call.baseUrl)
  if (base === null || !['http:', 'https:'].includes(base.protocol)) return undefined
  if (base.username !== '' || base.password !== '' || base.search !== '' || base.hash !== '') return undefined
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, '')
  return new URL(`${prefix}/orders/${encodeURIComponent(call.reference)}`, base.origin)
}

function requestFor(url: URL, method: Method, call: SupplierCall): Dispatcher.RequestOptions {
  const headers = { accept: 'application/json', authorization: `Bearer ${call.token}` }
  const { reference, sku, quantity, deliveryData } = call
  const target = { origin: url.origin, path: url.pathname, method }
  if (method === 'GET') return { ...target, headers }
  return {
    ...target,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ reference, sku, quantity, deliveryData }),
    // A call is sent once; whether it is repeated is not the connection's to decide.
    idempotent: false,
  }
}

/** Runs an exchange with a signal that ends it when its time is up or the caller's signal fires. */
async function withinDeadline(
  { timeoutMs, signal }: Question,
  run: (signal: AbortSignal) => Promise<Exchange>,
): Promise<Exchange> {
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

async function performExchange(
  agent: Agent,
  options: Dispatcher.RequestOptions,
  signal: AbortSignal,
): Promise<Exchange> {
  let head: Head | undefined
  try {
    const response = await unlessAborted(agent.request({ ...options, signal }), signal)
    head = { status: response.statusCode, retryAfter: waitAskedFor(response) }
    return { answer: { ...head, ...(await readBody(response.body)) } }
  } catch (error) {
    const lost = signal.aborted ? messageOf(signal.reason) : lossOf(error)
    return { lost, httpStatus: head?.status ?? null, retryAfter: head?.retryAfter ?? null }
  }
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
  const seconds = retryAfterSeconds(headers['retry-after'], new Date())
  return seconds === null ? null : Math.min(Math.max(seconds, 1), longestWait)
}

async function readBody(stream: AsyncIterable<Uint8Array>): Promise<{ body: Uint8Array; tooLarge: boolean }> {
  const bytes = createBytes(bodyLimit)
  for await (const piece of stream) {
    if (!bytes.add(piece)) return { body: bytes.all(), tooLarge: true }
  }
  return { body: bytes.all(), tooLarge: false }
}

/** A short, stable text: a code of the system or of undici, never a message, for messages may quote addresses. */
function lossOf(error: unknown): string {
  const code = errorCode(error)
  if (code === undefined) return 'connection error'
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return 'timeout'
  if (code === 'UND_ERR_INVALID_ARG') return 'the request cannot be made from these settings'
  return `connection error: ${code}`
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : 'cancelled'
}
