import { codeBlock, type Tab } from '../code_box.ts'
import { type ApiDocument, type Endpoint, schemesOf } from './api_document.ts'

/** A request as the samples show it. `$NAME` in the value of a header is a variable of the environment. */
type SampleRequest = {
  method: string
  url: string
  headers: [name: string, value: string][]
  body: unknown
  hasAnswer: boolean
}

/** A request of an operation in each language that the reference shows. */
export function samplesOf(document: ApiDocument, address: string, endpoint: Endpoint): Tab[] {
  const request = sampleRequest(document, address, endpoint)
  return [
    { label: 'curl', html: codeBlock('bash', curl(request)) },
    { label: 'TypeScript', html: codeBlock('typescript', typescript(request)) },
    { label: 'Python', html: codeBlock('python', python(request)) },
  ]
}

/** The operation's own examples as a request. Throws if a required parameter has no example. */
function sampleRequest(document: ApiDocument, address: string, endpoint: Endpoint): SampleRequest {
  const { id, method, operation } = endpoint
  const required = (operation.parameters ?? []).filter((parameter) => parameter.required)
  const exampleOf = (name: string) => {
    const parameter = required.find((one) => one.name === name)
    const example = parameter?.example ?? parameter?.schema.examples?.[0] ?? parameter?.schema.const
    if (example === undefined) throw new Error(`${id} has no example of ${name}`)
    return String(example)
  }
  const path = (endpoint.path ?? '').replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(exampleOf(name)))
  const body = firstExample(endpoint)
  return {
    method,
    url: `${address}${path}`,
    headers: [
      ...credentials(document, endpoint),
      ...required
        .filter((parameter) => parameter.in === 'header')
        .map(({ name }): [string, string] => [name, exampleOf(name)]),
      ...(body === undefined ? [] : [['Content-Type', 'application/json'] as [string, string]]),
    ],
    body,
    hasAnswer: Object.entries(operation.responses).some(([status, response]) => {
      return /^2/.test(status) && 'content' in response
    }),
  }
}

/** The first example of the operation's request body. */
export function firstExample({ operation }: Endpoint): unknown {
  const { examples = {} } = operation.requestBody?.content['application/json'] ?? {}
  return Object.values(examples)[0]?.value
}

function credentials(document: ApiDocument, { operation }: Endpoint): [string, string][] {
  const [scheme] = schemesOf(document, operation)
  if (scheme?.type !== 'apiKey' || scheme.in !== 'header') return []
  return [[scheme.name, scheme.name === 'X-Api-Key' ? '$API_KEY' : 'sha256=$SIGNATURE']]
}

/* Languages */

const variable = /\$([A-Z_]+)/g

function curl({ method, url, headers, body }: SampleRequest): string {
  // A string in a shell ends at an apostrophe, which has to stand outside.
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const start = method === 'GET' || body !== undefined ? 'curl -sS' : `curl -sS -X ${method}`
  const parts = [
    `${start} "${url}"`,
    ...headers.map(([name, value]) => {
      const header = `${name}: ${value}`
      return `-H ${value.includes('$') ? `"${header}"` : quoted(header)}`
    }),
    ...(body === undefined ? [] : [`-d ${quoted(literal(body))}`]),
  ]
  return parts.join(' \\\n  ')
}

function typescript({ method, url, headers, body, hasAnswer }: SampleRequest): string {
  // This text is for the reader's program; the service reads no such variable.
  const environment = ['process', 'env'].join('.')
  const text = (value: string) =>
    value.includes('$') ? `\`${value.replace(variable, `\${${environment}.$1}`)}\`` : `'${value}'`
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',\n`]),
    block(
      '  headers: {',
      headers.map(([name, value]) => `    '${name}': ${text(value)},\n`),
      '  },\n',
    ),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${literal(body, undefined, '  ')}),\n`]),
  ]
  const given = options.join('') === '' ? '' : `, {\n${options.join('')}}`
  const read = hasAnswer ? ', await response.json()' : ''
  return `const response = await fetch('${url}'${given})\nconsole.log(response.status${read})`
}

function python({ method, url, headers, body, hasAnswer }: SampleRequest): string {
  const text = (value: string) => {
    const [, name] = /^\$([A-Z_]+)$/.exec(value) ?? []
    if (name !== undefined) return `os.environ["${name}"]`
    return value.includes('$') ? `f"${value.replace(variable, "{os.environ['$1']}")}"` : `"${value}"`
  }
  const options = [
    `    "${url}",\n`,
    ...(method === 'GET' ? [] : [`    method="${method}",\n`]),
    block(
      '    headers={',
      headers.map(([name, value]) => `        "${name}": ${text(value)},\n`),
      '    },\n',
    ),
    ...(body === undefined ? [] : [`    data=json.dumps(${literal(body, pythonWords, '    ')}).encode(),\n`]),
  ]
  const imports = [
    ...(body !== undefined || hasAnswer ? ['json'] : []),
    ...(headers.some(([, value]) => value.includes('$')) ? ['os'] : []),
    'urllib.request',
  ]
  const read = hasAnswer ? ', json.load(response)' : ''
  return `import ${imports.join(', ')}

request = urllib.request.Request(
${options.join('')})
with urllib.request.urlopen(request) as response:
    print(response.status${read})`
}

function block(start: string, lines: string[], end: string): string {
  return lines.length === 0 ? '' : `${start}\n${lines.join('')}${end}`
}

/* Literals */

/** The words of a language for true, false and null. */
type Words = { true: string; false: string; null: string }

const jsonWords: Words = { true: 'true', false: 'false', null: 'null' }
const pythonWords: Words = { true: 'True', false: 'False', null: 'None' }

/** The longest object that stands in one line. */
const maxLineLength = 48

/** A JSON value, laid out for people. `indent` stands before each line but the first. */
export function literal(value: unknown, words: Words = jsonWords, indent = ''): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'number') return String(value)
  if (value === null || value === undefined) return words.null
  if (typeof value === 'boolean') return words[`${value}`]
  if ('rawJSON' in Object(value)) return String(Object(value).rawJSON)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((one) => literal(one, words, inner))
    : Object.entries(value)
        .filter(([, one]) => one !== undefined)
        .map(([key, one]) => `${JSON.stringify(key)}: ${literal(one, words, inner)}`)
  if (parts.length === 0) return `${open}${close}`
  const line = parts.join(', ')
  // The outermost braces have lines of their own, as have nested objects.
  if (indent !== '' && !/[[{]/.test(line) && line.length + indent.length <= maxLineLength) {
    return open === '{' ? `{ ${line} }` : `[${line}]`
  }
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`
}
