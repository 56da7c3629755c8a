import { randomUUID } from 'node:crypto'
import { NoAnswerError, RefusedError } from './errors.ts'
import { retryAfterMs } from './retry.ts'

/** Where to and as whom. The key is in here and nowhere else. */
export type Target = { baseUrl: string; apiKey: string; fetch: typeof globalThis.fetch }

export type Query = { [name: string]: string | number | boolean | null | undefined }

export type Call = {
  method: 'GET' | 'POST'
  path: string
  query?: Query
  /** JSON, made once: a repeat sends the same bytes. */
  body?: string
  headers?: { [name: string]: string }
}

/** One request: how long to wait for the whole of its answer, and what else may end it. */
export type Limits = { timeoutMs: number; signal?: AbortSignal | undefined; requestId: string }

/**
 * How a request ended. `stray`: the answer is none of the service's, and a repeat would not change that. `later`: there
 * is no final answer; `undone` says that the service did nothing.
 */
export type Outcome =
  | { kind: 'answered'; status: number; data: unknown; headers: Headers }
  | { kind: 'refused'; error: RefusedError }
  | { kind: 'stray'; error: NoAnswerError }
  | { kind: 'later'; error: Error; undone: boolean; retryAfterMs: number }

/**
 * Checks where to send requests and as whom. A path in the base URL is kept as a prefix. Throws a TypeError, which
 * never holds the key.
 */
export function createTarget(baseUrl: string | URL, apiKey: string, fetch: Target['fetch']): Target {
  const key = apiKey.trim()
  if (!/^[\x21-\x7e]{1,200}$/.test(key)) throw new TypeError('the apiKey is no key')
  if (!URL.canParse(String(baseUrl))) throw new TypeError('the baseUrl is no URL')
  const url = new URL(baseUrl)
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError('the baseUrl is not http or https')
  if (url.username !== '' || url.password !== '') throw new TypeError('the baseUrl holds credentials')
  if (url.search !== '' || url.hash !== '') throw new TypeError('the baseUrl has a query or a fragment')
  const prefix = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname
  return { baseUrl: url.origin + prefix, apiKey: key, fetch }
}

/** Sends a request once. Rejects only with the reason of the caller's signal. */
export async function send(target: Target, call: Call, limits: Limits): Promise<Outcome> {
  const { signal, timeoutMs, requestId } = limits
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await target.fetch(addressOf(target, call), {
      method: call.method,
      headers: headersOf(target, call, requestId),
      body: call.body ?? null,
      // A redirect would carry the key to wherever it leads.
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
    return outcomeOf(response, await response.text(), requestId)
  } catch (cause) {
    signal?.throwIfAborted()
    const what = timeout.aborted ? `no answer within ${timeoutMs} ms` : 'the connection failed'
    const error = new NoAnswerError(what, { requestId, cause })
    return { kind: 'later', error, undone: false, retryAfterMs: 0 }
  }
}

/** An id for the requests of one operation. */
export function newRequestId(): string {
  return randomUUID()
}

/** Whether a path has a part that is empty or only dots: it would lead to another address, as that of a list. */
export function isAstray(path: string): boolean {
  return path
    .slice(1)
    .split('/')
    .some((part) => part === '' || part === '.' || part === '..')
}

function addressOf({ baseUrl }: Target, { path, query = {} }: Call): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) parameters.set(name, String(value))
  }
  return `${baseUrl}${path}${parameters.size > 0 ? `?${parameters}` : ''}`
}

function headersOf(target: Target, call: Call, requestId: string): { [name: string]: string } {
  return {
    accept: 'application/json',
    'user-agent': 'supply-ordering-client/0.1.0',
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...call.headers,
    'x-request-id': requestId,
    'x-api-key': target.apiKey,
  }
}

/** An answer of the service, as far as it is one. */
type Body = { success?: unknown; data?: unknown; error?: unknown; message?: unknown; code?: unknown }

function outcomeOf(response: Response, text: string, requestId: string): Outcome {
  const { status, headers } = response
  const body = parse(text)
  if (status >= 200 && status < 300 && body?.success === true && 'data' in body)
    return { kind: 'answered', status, data: body.data, headers }
  const refusal = status >= 400 && status < 500 && body ? refusalOf(status, body, requestId) : undefined
  const error = refusal ?? new NoAnswerError(`an answer ${status} that decides nothing`, { requestId })
  // Of these the service, or what stands before it, did nothing, or they may pass.
  if (status >= 500 || status === 429 || status === 408 || status === 425) {
    const wait = retryAfterMs(headers.get('retry-after'), new Date())
    return { kind: 'later', error, undone: refusal !== undefined, retryAfterMs: wait }
  }
  return refusal === undefined ? { kind: 'stray', error } : { kind: 'refused', error: refusal }
}

function parse(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The envelopes of errors: `{error, message}` for 401 and 403, `{success: false, error, code}` otherwise. */
function refusalOf(status: number, body: Body, requestId: string): RefusedError | undefined {
  if (typeof body.error !== 'string') return undefined
  const plain = status === 401 ? 'UNAUTHORIZED' : status === 403 ? 'FORBIDDEN' : undefined
  const code = typeof body.code === 'string' ? body.code : plain
  if (code === undefined || (body.success !== false && plain === undefined)) return undefined
  return new RefusedError(status, code, { ...body, error: body.error } as RefusedError['body'], { requestId })
}
