import type { Parameter } from '../openapi/types.ts'
import type { ApiDocument, Endpoint, SecurityRequirement } from './api_document.ts'

/** A secret of the reader: the variable of the environment that holds it, and what stands before it. */
export type Secret = { variable: string; prefix: string }

/** A request as the samples show it. */
export type SampleRequest = {
  method: string
  /** With its query, but without a secret that stands there. */
  url: string
  /** In the order in which they are sent. */
  headers: { name: string; value: string | Secret }[]
  /** The query parameter that holds the secret. */
  query?: { name: string; secret: Secret }
  /** A user name and a password. */
  basic?: { user: string; secret: Secret }
  /** Undefined where the request has no body. */
  body?: unknown
  /** What kind of body the answer has. */
  answer: 'json' | 'text' | 'none'
}

/**
 * The request that an operation's own examples make: those of its path, of what it requires, and the first one of its
 * body. Throws where a required parameter has no example.
 */
export function sampleRequest(document: ApiDocument, address: string, endpoint: Endpoint): SampleRequest {
  const { operation, method } = endpoint
  const parameters = (operation.parameters ?? []).filter(({ required }) => required)
  const path = (endpoint.path ?? '').replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    return encodeURIComponent(exampleOf(endpoint.id, name, parameter))
  })
  const [example] = Object.values(operation.requestBody?.content['application/json']?.examples ?? {})
  const headers = parameters
    .filter((one) => one.in === 'header')
    .map((one) => ({ name: one.name, value: exampleOf(endpoint.id, one.name, one) }))
  return {
    method,
    url: `${address}${path}`,
    ...credentials(document, operation.security ?? document.security, headers, example !== undefined),
    ...(example === undefined ? {} : { body: example.value }),
    answer: answerOf(endpoint),
  }
}

function credentials(
  document: ApiDocument,
  [requirement = {}]: readonly SecurityRequirement[],
  given: SampleRequest['headers'],
  hasBody: boolean,
): Pick<SampleRequest, 'headers' | 'query' | 'basic'> {
  const type = hasBody ? [{ name: 'Content-Type', value: 'application/json' }] : []
  const headers = [...given, ...type]
  const [name] = Object.keys(requirement)
  const scheme = name === undefined ? undefined : document.components.securitySchemes[name]
  if (scheme === undefined) return { headers }
  if (scheme.type === 'http') {
    return { headers, basic: { user: 'partner', secret: { variable: 'DOCS_PASSWORD', prefix: '' } } }
  }
  if (!/^(?:X-Api-Key|key)$/.test(scheme.name)) {
    return {
      headers: [{ name: scheme.name, value: { variable: 'SIGNATURE', prefix: 'sha256=' } }, ...headers],
    }
  }
  const secret = { variable: 'API_KEY', prefix: '' }
  if (scheme.in === 'query') return { headers, query: { name: scheme.name, secret } }
  return { headers: [{ name: scheme.name, value: secret }, ...headers] }
}

function answerOf({ operation }: Endpoint): SampleRequest['answer'] {
  const [, answer] = Object.entries(operation.responses).find(([status]) => /^2\d\d$/.test(status)) ?? []
  const types = answer !== undefined && 'content' in answer ? Object.keys(answer.content ?? {}) : []
  if (types.length === 0) return 'none'
  return types[0] === 'application/json' ? 'json' : 'text'
}

function exampleOf(id: string, name: string, parameter: Parameter | undefined): string {
  const example = parameter?.example ?? parameter?.schema.examples?.[0] ?? parameter?.schema.const
  if (example === undefined) throw new Error(`${id} has no example of ${name}`)
  return String(example)
}
