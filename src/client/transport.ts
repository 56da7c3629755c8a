import { NoAnswerError, RefusedError } from './errors.ts'
import { type Outcome, retryAfterMs } from './retry.ts'

/** The service's address and the key. Nothing else holds the key. */
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

/** The limits of one request: how long its whole response may take, and a signal that ends it earlier. */
export type Limits = { timeoutMs: number; signal?: AbortSignal | undefined; requestId: string }

/**
 * Checks address and key. Throws a TypeError, which never contains the key. A path in the address stays as a prefix.
 */
export function createTarget(
  baseUrl: string | URL | undefined,
  apiKey: string | undefined,
  fetch: Target['fetch'],
): Target {
  if (!baseUrl) throw new TypeError('SupplyClient needs a baseUrl, such as https://supply.example')
  if (!apiKey) throw new TypeError('SupplyClient needs an apiKey: the operators of the service issue it')
  const key = apiKey.trim()
  if (!/^[\x21-\x7e]{1,200}$/.test(key)) throw new TypeError('the apiKey has characters that no key has')
  if (!URL.canParse(String(baseUrl))) throw new TypeError('the baseUrl is not a URL')
  const url = new URL(baseUrl)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new TypeError('the baseUrl is not http or https')
  if (url.username !== '' || url.password !== '') throw new TypeError('the baseUrl contains credentials')
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
      // A redirect would carry the key to another server.
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    })
    return outcomeOf(target, response, await response.text(), requestId)
  } catch (cause) {
    signal?.throwIfAborted()
    const reason = timeout.aborted ? `no response within ${timeoutMs} ms` : reasonOf(cause)
    const error = new NoAnswerError(`${target.baseUrl}: ${reason}`, { requestId, cause })
    return { error, isUndone: false, again: true, retryAfterMs: 0 }
  }
}

/** The innermost cause that says something: fetch itself only says "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause instanceof Error) return reasonOf(error.cause)
  return error.message || String((error as NodeJS.ErrnoException).code ?? error.name)
}

/** Whether a part of a path is empty or only dots: it would lead to another address, such as that of a list. */
export function isAstray(path: string): boolean {
  return /\/\.{0,2}(\/|$)/.test(path)
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
    'user-agent': 'supply-ordering-client/1.0.0',
    ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...call.headers,
    'x-request-id': requestId,
    'x-api-key': target.apiKey,
  }
}

/** The fields of a response of the service. */
type Body = { success?: unknown; data?: unknown; error?: unknown; code?: unknown }

function outcomeOf(target: Target, response: Response, text: string, requestId: string): Outcome {
  const { status, headers } = response
  const body = parse(text)
  if (status >= 200 && status < 300 && body?.success === true && 'data' in body) return { data: body.data }
  const refusal = status >= 400 && status < 500 && body ? refusalOf(status, body, requestId) : undefined
  const reason = status < 500 ? 'not a response of this service' : String(body?.error ?? 'no reason given')
  const error = refusal ?? new NoAnswerError(`${target.baseUrl}: HTTP ${status}, ${reason}`, { requestId })
  const again = status >= 500 || [408, 425, 429].includes(status)
  const waitMs = again ? retryAfterMs(headers.get('retry-after'), new Date()) : 0
  return { error, isUndone: refusal !== undefined, again, retryAfterMs: waitMs }
}

function parse(text: string): Body | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** The two forms of errors: `{error, message}` for 401 and 403, otherwise `{success: false, error, code}`. */
function refusalOf(status: number, body: Body, requestId: string): RefusedError | undefined {
  if (typeof body.error !== 'string') return undefined
  const plain = status === 401 ? 'UNAUTHORIZED' : status === 403 ? 'FORBIDDEN' : undefined
  const code = typeof body.code === 'string' ? body.code : plain
  if (code === undefined || (body.success !== false && plain === undefined)) return undefined
  return new RefusedError(status, code, { ...body, error: body.error } as RefusedError['body'], { requestId })
}
