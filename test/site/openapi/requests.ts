import { jsonOf, type Located, valuesOf } from '../../support/openapi/document.ts'
import type { Send } from '../../support/service.ts'
import { signedEvent, signedPush } from '../../support/signed.ts'

/** What a request needs to be let in, for every kind of operation. */
export type Credentials = { key: string; password: string; supplierToken: string }

export type Request = { method: string; path: string; send: Send }

/** A request for an operation, made of the document's own examples. */
export function requestFor(located: Located, credentials: Credentials): Request {
  const { method, path, operation } = located
  const values = new Map(
    (operation.parameters ?? []).filter((one) => one.in === 'path').map(({ name, example }) => [name, example]),
  )
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => String(values.get(name)))
  const [example] = valuesOf(jsonOf(operation.requestBody?.content)?.examples)
  const body = example === undefined ? undefined : JSON.stringify(example)
  const send: Send = body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }
  return authenticated({ method, path: filled, send }, located, credentials)
}

/** The same request, with what its operation asks for. */
function authenticated(
  request: Request,
  { operation }: Located,
  { key, password, supplierToken }: Credentials,
): Request {
  const { path, send } = request
  const headers = send.headers ?? {}
  switch (schemeOf(operation)) {
    case 'apiKey':
      return { ...request, send: { ...send, key } }
    case 'apiKeyInQuery':
      return { ...request, path: `${path}?key=${key}` }
    case 'docsPassword':
      return { ...request, send: { ...send, headers: { ...headers, ...basic(password) } } }
    case 'supplierSignature':
      return { ...request, send: { ...send, headers: { ...headers, ...signedPush(String(send.body), supplierToken) } } }
    case 'upstreamSignature':
      return {
        ...request,
        send: { ...send, headers: { ...headers, ...signedEvent(String(send.body), supplierToken) } },
      }
    default:
      return request
  }
}

/** The first scheme by which an operation takes credentials; undefined if it takes none. */
export function schemeOf(operation: Located['operation']): string | undefined {
  if (operation.security === undefined) return 'apiKey'
  return Object.keys(operation.security[0] ?? {})[0]
}

export function basic(password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`partner:${password}`).toString('base64')}` }
}
