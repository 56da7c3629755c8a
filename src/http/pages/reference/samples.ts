import { escapeHtml } from '../page.ts'
import { pre, type Tab } from './html.ts'
import { coloured, literal, pythonWords } from './literals.ts'
import type { SampleRequest, Secret } from './request.ts'

/** A request in each language that the reference shows. */
export function samplesOf(request: SampleRequest): Tab[] {
  return [
    { label: 'curl', html: pre(curl(request)) },
    { label: 'TypeScript', html: pre(typescript(request)) },
    { label: 'Python', html: pre(python(request)) },
  ]
}

function curl({ method, url, headers, query, basic, body }: SampleRequest): string {
  const address = query === undefined ? url : `${url}?${query.name}=$${query.secret.variable}`
  const start = method === 'GET' || body !== undefined ? 'curl -sS' : `curl -sS -X ${method}`
  const parts = [
    `${start} ${coloured('text', `"${address}"`)}`,
    ...(basic === undefined ? [] : [`-u ${coloured('text', `"${basic.user}:$${basic.secret.variable}"`)}`]),
    ...headers.map(({ name, value }) => `-H ${coloured('text', shellText(name, value))}`),
    ...(body === undefined ? [] : [`-d ${shellBody(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

function shellText(name: string, value: string | Secret): string {
  return typeof value === 'string'
    ? `'${inQuotes(`${name}: ${value}`)}'`
    : `"${name}: ${value.prefix}$${value.variable}"`
}

// The quotes of a shell end at an apostrophe, which stands outside of them then.
function shellBody(body: unknown): string {
  return `'${inQuotes(literal(body))}'`
}

function inQuotes(text: string): string {
  return text.replaceAll("'", "'\\''")
}

// Where a program of the reader finds a secret; this service reads nothing there.
function inNode(variable: string): string {
  return ['process', 'env', variable].join('.')
}

function typescript({ method, url, headers, query, basic, body, answer }: SampleRequest): string {
  const secret = ({ variable, prefix }: Secret) =>
    prefix === ''
      ? `${inNode(variable)} ?? ${coloured('text', "''")}`
      : coloured('text', `\`${prefix}\${${inNode(variable)}}\``)
  const address =
    query === undefined ? `'${url}'` : `\`${url}?${query.name}=\${${inNode(query.secret.variable)}}\``
  const fields = [
    ...headers.map(
      ({ name, value }) =>
        `${coloured('key', `'${name}'`)}: ${typeof value === 'string' ? coloured('text', `'${value}'`) : secret(value)}`,
    ),
    ...(basic === undefined
      ? []
      : [
          `${coloured('key', 'Authorization')}: ${coloured('text', "'Basic '")} + btoa(${coloured('text', `\`${basic.user}:\${${inNode(basic.secret.variable)}}\``)})`,
        ]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`  ${coloured('key', 'method')}: ${coloured('text', `'${method}'`)},\n`]),
    ...(fields.length === 0
      ? []
      : [`  ${coloured('key', 'headers')}: {\n${fields.map((field) => `    ${field},\n`).join('')}  },\n`]),
    ...(body === undefined
      ? []
      : [`  ${coloured('key', 'body')}: JSON.stringify(${literal(body, undefined, '  ')}),\n`]),
  ]
  const given = options.length === 0 ? '' : `, {\n${options.join('')}}`
  const read = answer === 'none' ? '' : `, ${coloured('word', 'await')} response.${answer}()`
  return `${coloured('word', 'const')} response = ${coloured('word', 'await')} fetch(${coloured('text', address)}${given})
console.log(response.status${read})`
}

function python({ method, url, headers, query, basic, body, answer }: SampleRequest): string {
  const variable = (name: string) => `os.environ[${coloured('text', `"${name}"`)}]`
  const secret = ({ variable: name, prefix }: Secret) =>
    prefix === '' ? variable(name) : `${coloured('text', `"${prefix}"`)} + ${variable(name)}`
  const address = query === undefined ? `"${url}"` : `"${url}?${query.name}="`
  const fields = [
    ...headers.map(
      ({ name, value }) =>
        `${coloured('text', `"${name}"`)}: ${typeof value === 'string' ? coloured('text', `"${value}"`) : secret(value)}`,
    ),
    ...(basic === undefined
      ? []
      : [
          `${coloured('text', '"Authorization"')}: ${coloured('text', '"Basic "')} + base64.b64encode((${coloured('text', `"${basic.user}:"`)} + ${variable(basic.secret.variable)}).encode()).decode()`,
        ]),
  ]
  const options = [
    `    ${coloured('text', address)}${query === undefined ? '' : ` + ${variable(query.secret.variable)}`},\n`,
    ...(method === 'GET' ? [] : [`    method=${coloured('text', `"${method}"`)},\n`]),
    ...(fields.length === 0
      ? []
      : [`    headers={\n${fields.map((field) => `        ${field},\n`).join('')}    },\n`]),
    ...(body === undefined ? [] : [`    data=json.dumps(${literal(body, pythonWords, '    ')}).encode(),\n`]),
  ]
  const usesEnvironment =
    basic !== undefined || query !== undefined || headers.some(({ value }) => typeof value !== 'string')
  const imports = [
    ...(basic === undefined ? [] : ['base64']),
    ...(body === undefined && answer !== 'json' ? [] : ['json']),
    ...(usesEnvironment ? ['os'] : []),
    'urllib.request',
  ]
  const read = { json: ', json.load(response)', text: ', response.read().decode()', none: '' }[answer]
  return `${coloured('word', 'import')} ${imports.join(', ')}

request = urllib.request.Request(
${options.join('')})
${coloured('word', 'with')} urllib.request.urlopen(request) ${coloured('word', 'as')} response:
    print(response.status${read})`
}

/** A webhook as it comes in. `headers` are those of the document. */
export function deliveryOf(headers: { name: string; example: string }[], body: unknown): string {
  const lines = headers.map(({ name, example }) => `${coloured('key', name)}: ${escapeHtml(example)}`)
  return `${coloured('word', 'POST')} /your/callback/url HTTP/1.1\n${lines.join('\n')}\n\n${literal(body)}`
}
