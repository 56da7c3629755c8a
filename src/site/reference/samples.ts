import { codeBlock, type Tab } from '../code_box.ts'
import { literal, pythonWords } from './literals.ts'
import type { SampleRequest, Secret } from './request.ts'

/** A request in each language that the reference shows. */
export function samplesOf(request: SampleRequest): Tab[] {
  return [
    { label: 'curl', html: codeBlock('bash', curl(request)) },
    { label: 'TypeScript', html: codeBlock('typescript', typescript(request)) },
    { label: 'Python', html: codeBlock('python', python(request)) },
  ]
}

function curl({ method, url, headers, query, basic, body }: SampleRequest): string {
  const address = query === undefined ? url : `${url}?${query.name}=$${query.secret.variable}`
  const start = method === 'GET' || body !== undefined ? 'curl -sS' : `curl -sS -X ${method}`
  const parts = [
    `${start} "${address}"`,
    ...(basic === undefined ? [] : [`-u "${basic.user}:$${basic.secret.variable}"`]),
    ...headers.map(({ name, value }) => `-H ${shellText(name, value)}`),
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
    prefix === '' ? `${inNode(variable)} ?? ''` : `\`${prefix}\${${inNode(variable)}}\``
  const address =
    query === undefined ? `'${url}'` : `\`${url}?${query.name}=\${${inNode(query.secret.variable)}}\``
  const fields = [
    ...headers.map(
      ({ name, value }) => `'${name}': ${typeof value === 'string' ? `'${value}'` : secret(value)}`,
    ),
    ...(basic === undefined
      ? []
      : [`Authorization: 'Basic ' + btoa(\`${basic.user}:\${${inNode(basic.secret.variable)}}\`)`]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',\n`]),
    ...(fields.length === 0
      ? []
      : [`  headers: {\n${fields.map((field) => `    ${field},\n`).join('')}  },\n`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${literal(body, undefined, '  ')}),\n`]),
  ]
  const given = options.length === 0 ? '' : `, {\n${options.join('')}}`
  const read = answer === 'none' ? '' : `, await response.${answer}()`
  return `const response = await fetch(${address}${given})
console.log(response.status${read})`
}

function python({ method, url, headers, query, basic, body, answer }: SampleRequest): string {
  const variable = (name: string) => `os.environ["${name}"]`
  const secret = ({ variable: name, prefix }: Secret) =>
    prefix === '' ? variable(name) : `"${prefix}" + ${variable(name)}`
  const address = query === undefined ? `"${url}"` : `"${url}?${query.name}="`
  const fields = [
    ...headers.map(
      ({ name, value }) => `"${name}": ${typeof value === 'string' ? `"${value}"` : secret(value)}`,
    ),
    ...(basic === undefined
      ? []
      : [
          `"Authorization": "Basic " + base64.b64encode(("${basic.user}:" + ${variable(basic.secret.variable)}).encode()).decode()`,
        ]),
  ]
  const options = [
    `    ${address}${query === undefined ? '' : ` + ${variable(query.secret.variable)}`},\n`,
    ...(method === 'GET' ? [] : [`    method="${method}",\n`]),
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
  return `import ${imports.join(', ')}

request = urllib.request.Request(
${options.join('')})
with urllib.request.urlopen(request) as response:
    print(response.status${read})`
}

/** A webhook as it comes in. `headers` are those of the document. */
export function deliveryOf(headers: { name: string; example: string }[], body: unknown): string {
  const lines = headers.map(({ name, example }) => `${name}: ${example}`)
  return `POST /your/callback/url HTTP/1.1\n${lines.join('\n')}\n\n${literal(body)}`
}
