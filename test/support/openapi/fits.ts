import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Answer } from '../service.ts'
import { document, type Operation, operations, pointer, type Response, resolve } from './document.ts'

// Clients and suppliers may send more fields than these models name. All other models describe answers.
const open = new Set([
  'SupplierResult',
  'OrderRequest',
  'OrderRequestItem',
  'QuoteRequest',
  'SimulationRequest',
  'RedeliveryRequest',
  'RedeliverDeadRequest',
])

/** The document, but its models allow no other fields than those that they name. */
const closed = {
  ...document,
  components: {
    ...document.components,
    schemas: Object.fromEntries(
      Object.entries(document.components.schemas).map(([name, schema]) => [
        name,
        open.has(name) ? schema : close(schema),
      ]),
    ),
  },
}

function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close)
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.fromEntries(Object.entries(schema).map(([name, part]) => [name, close(part)]))
  return 'properties' in schema && 'type' in schema ? { ...parts, additionalProperties: false } : parts
}

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: {
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    uri: true,
    uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  },
})
ajv.addSchema(closed, 'document')

/** The faults of a value by the schema at a place of the document. */
export function faultsOf(value: unknown, ...place: string[]): string[] {
  const validate = ajv.getSchema(`document${pointer(...place)}`)
  if (validate === undefined) throw new Error(`no schema is at ${place.join(' ')}`)
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath} ${message} ${JSON.stringify(params)}`.trim(),
  )
}

/** The operation that a request reaches. */
function operationOf(method: string, path: string): { path: string; operation: Operation } | undefined {
  const plain = path.replace(/\?.*$/, '')
  const isThere = (one: { path: string }) => pattern(one.path).test(plain)
  // A path without parameters wins: /b2b/events/redeliver is no event.
  const found = operations.filter((one) => one.method === method && isThere(one))
  return found.find((one) => one.path === plain) ?? found[0]
}

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

// Headers of the connection and the content are not documented.
const ofTheConnection = new Set(['date', 'connection', 'keep-alive', 'content-length', 'content-type'])
// Refusals of documents have these headers too.
const onAnyRefusal = new Set(['cache-control', 'referrer-policy', 'vary', 'content-security-policy'])

/** The faults of a webhook's body by the document. */
export function eventFaults(event: { event_type: string }): string[] {
  const place = ['post', 'requestBody', 'content', 'application/json', 'schema']
  return faultsOf(event, 'webhooks', event.event_type, ...place)
}

/** The faults of an answer's status, headers and body by the document. None if the document has no such operation. */
export function misfits(method: string, path: string, answer: Answer): string[] {
  const found = operationOf(method, path)
  if (found === undefined) return []
  const status = String(answer.status)
  const given = found.operation.responses[status] ?? found.operation.responses.default
  if (given === undefined) return [`${method} ${path} must not answer ${status}: ${answer.text}`]
  const shared = '$ref' in given ? String(given.$ref).split('/').slice(1) : undefined
  const place = shared ?? ['paths', found.path, method.toLowerCase(), 'responses', status]
  const response = resolve(given)
  const faults = [...headerFaults(response, answer), ...bodyFaults(response, place, answer)]
  return faults.map((fault) => `${method} ${path} ${status}: ${fault}`)
}

function headerFaults({ headers = {} }: Response, answer: Answer): string[] {
  const documented = new Map(Object.entries(headers).map(([name, header]) => [name.toLowerCase(), header]))
  const undocumented = Object.keys(answer.headers).filter(
    (name) => !documented.has(name) && !ofTheConnection.has(name) && !(answer.status >= 400 && onAnyRefusal.has(name)),
  )
  const wrong = Object.entries(headers).flatMap(([name, reference]) => {
    const header = resolve(reference)
    const value = answer.headers[name.toLowerCase()]
    if (value === undefined) return header.required ? [`lacks the header ${name}`] : []
    const parsed = header.schema.type === 'integer' ? Number(value) : value
    return faultsOf(parsed, 'components', 'headers', name, 'schema').map((fault) => `${name} ${fault}`)
  })
  return [...undocumented.map((name) => `has the header ${name}`), ...wrong]
}

function bodyFaults({ content }: Response, place: string[], answer: Answer): string[] {
  const type = String(answer.headers['content-type'] ?? '').replace(/;.*$/, '')
  // A browser gets a page instead of the JSON of a refusal.
  if (answer.status >= 400 && type === 'text/html') return []
  if (content === undefined) return answer.text === '' ? [] : [`has a body: ${answer.text}`]
  if (!Object.hasOwn(content, type)) return [`is of type "${type}"`]
  const value = type === 'application/json' ? answer.json : answer.text
  return faultsOf(value, ...place, 'content', type, 'schema')
}
