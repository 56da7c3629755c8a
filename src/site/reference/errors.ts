import { codeBox } from '../code_box.ts'
import { escapeHtml } from '../page.ts'
import { type ApiDocument, idOf, isReference } from './api_document.ts'
import { bodyFields, parameterFields } from './fields.ts'
import { code, heading, prose } from './html.ts'
import { errorModels, examplesOf, headerId, headerLine, modelId, namesIn, sharedId } from './responses.ts'

/**
 * The parts that operations share: the codes of errors, the common responses, the bodies of errors and the headers.
 */
export function errorSections(document: ApiDocument): string {
  return `<section class="subject" aria-labelledby="errors">
${heading(2, 'errors', 'Errors')}
<p>Branch on the status, then on <code>code</code>. An authentication error has no <code>code</code>, but a
<code>message</code>.</p>
${codeTable(document)}
</section>
<section class="subject" aria-labelledby="common-responses">
${heading(2, 'common-responses', 'Common responses')}
<p>Any operation can answer so, instead of its own responses.</p>
${commonResponses(document)}
<h3>Bodies of errors</h3>
<div class="narrow">${models(document)}</div>
</section>
<section class="subject" aria-labelledby="headers">
${heading(2, 'headers', 'Response headers')}
<p>Every response has <code>X-Request-Id</code>, <code>X-Api-Version</code> and <code>X-Content-Type-Options</code>;
every response that counts against the rate limit has the <code>X-RateLimit</code> headers.</p>
${headers(document)}
</section>`
}

type Responses = { [status: string]: object }

/** The responses of all operations and the common ones, with their statuses. */
function allResponses({ paths, components }: ApiDocument): [status: string, response: object][] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const all = operations.flatMap(({ responses }) => Object.entries(responses as Responses))
  const common = Object.entries(components.responses).map(([name, response]): [string, object] => {
    const [status = ''] = all.find(([, one]) => isReference(one) && one.$ref.endsWith(`/${name}`)) ?? []
    return [status === 'default' ? 'other' : status, response]
  })
  return [...all.filter(([status]) => /^[45]/.test(status)), ...common]
}

/** Each `code` in the examples, with its statuses and texts. */
function codeTable(document: ApiDocument): string {
  const codes = new Map<string, { statuses: Set<string>; texts: Set<string> }>()
  for (const [status, response] of allResponses(document)) {
    for (const { code, error } of examplesIn(response)) {
      if (code === undefined) continue
      const found = codes.get(code) ?? { statuses: new Set(), texts: new Set() }
      codes.set(code, found)
      found.statuses.add(status)
      found.texts.add(error)
    }
  }
  const rows = [...codes]
    .map(([name, { statuses, texts }]) => ({ name, texts, status: [...statuses].sort().join(', ') }))
    .sort((one, other) => one.status.localeCompare(other.status))
    .map(({ name, status, texts }) => {
      const cells = [code(name), escapeHtml(status), [...texts].map(escapeHtml).join('<br>')]
      return `<tr id="error-${idOf(name)}">${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
    })
  return `<div class="scroll" role="group" aria-label="Codes of errors" tabindex="0">
<table><thead><tr><th scope="col">code</th><th scope="col">Status</th><th scope="col">error</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>`
}

function examplesIn(response: object): { code?: string; error: string }[] {
  const media: { examples?: { [name: string]: { value: unknown } } }[] = Object.values(
    'content' in response ? Object(response.content) : {},
  )
  return media.flatMap(({ examples = {} }) => Object.values(examples).map(({ value }) => Object(value)))
}

function commonResponses({ components }: ApiDocument): string {
  const parts = Object.entries(components.responses).map(([name, response]) => {
    const id = sharedId(name)
    const [media] = Object.values(response.content ?? {})
    const models = media === undefined ? '' : errorModels(media.schema)
    const words = `${prose(response.description)}${headerLine(response.headers)}${models}`
    const body = codeBox([{ label: 'JSON', html: examplesOf(response) }], { title: 'Body', about: titleOf(name) })
    return `<section class="operation" aria-labelledby="${id}">
<div class="words">${heading(4, id, escapeHtml(titleOf(name)))}${words}</div>
<div class="code">${body}</div>
</section>`
  })
  return parts.join('\n')
}

function models(document: ApiDocument): string {
  const { schemas } = document.components
  const contents = allResponses(document).map(([, response]) => 'content' in response && response.content)
  const schemasIn = contents.flatMap((content) => Object.values(Object(content))).map((media) => Object(media).schema)
  return [...new Set(schemasIn.flatMap(namesIn))]
    .map((name) => {
      const schema = schemas[name] ?? {}
      const id = modelId(name)
      return `${heading(4, id, escapeHtml(name))}${prose(schema.description)}${bodyFields(schemas, id, schema)}`
    })
    .join('\n')
}

function headers({ components }: ApiDocument): string {
  const list = Object.entries(components.headers).map(([name, { description, schema, required }]) => ({
    name,
    in: 'header' as const,
    description,
    schema,
    required: required ?? false,
  }))
  return `<div class="narrow">${parameterFields(components.schemas, headerId('').slice(0, -1), list)}</div>`
}

/** `MethodNotAllowed` as `Method not allowed`. */
function titleOf(name: string): string {
  return name.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
