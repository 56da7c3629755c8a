import { codeBox } from '../code_box.ts'
import { escapeHtml } from '../page.ts'
import { type ApiDocument, idOf, isReference, type Subject } from './api_document.ts'
import { bodyFields, parameterFields } from './fields.ts'
import { code, heading, prose } from './html.ts'
import { errorModels, examplesOf, headerId, headerLine, modelId, namesIn, sharedId } from './responses.ts'

type ErrorCode = { statuses: Set<string>; texts: Set<string>; places: Set<string> }

/** What errors say: their codes, the responses that many operations share, and the fields of their bodies. */
export function errorSections(document: ApiDocument, subjects: Subject[]): string {
  return `<section class="subject" aria-labelledby="errors">
${heading(2, 'errors', 'Errors')}
<p>Branch on the status, then on <code>code</code>. An error of authentication has no <code>code</code>, but a <code>message</code>.</p>
${codeTable(document, subjects)}
${sharedResponses(document)}
${models(document)}
</section>
<section class="subject" aria-labelledby="headers">
${heading(2, 'headers', 'Headers of responses')}
${headers(document)}
</section>`
}

function codeTable(document: ApiDocument, subjects: Subject[]): string {
  const rows = [...codesOf(document, subjects)]
    .sort(([, one], [, other]) => statusesOf(one).localeCompare(statusesOf(other)))
    .map(
      ([name, found]) =>
        `<tr id="error-${idOf(name)}"><td>${code(name)}</td><td>${escapeHtml(statusesOf(found))}</td><td>${[...found.texts].map(escapeHtml).join('<br>')}</td><td>${[...found.places].join(', ')}</td></tr>`,
    )
  return `<div class="scroll" role="group" aria-label="Codes of errors" tabindex="0"><table><thead><tr><th scope="col">code</th><th scope="col">Status</th><th scope="col">error</th><th scope="col">Where</th></tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>`
}

/** Every `code` that an example of the document shows, and where it can come. */
function codesOf({ components }: ApiDocument, subjects: Subject[]): Map<string, ErrorCode> {
  const codes = new Map<string, ErrorCode>()
  const add = (status: string, place: string, examples: unknown[]) => {
    for (const example of examples) {
      if (typeof example !== 'object' || example === null || !('code' in example)) continue
      const text = 'error' in example ? String(example.error) : ''
      const found = codes.get(String(example.code)) ?? newCode()
      codes.set(String(example.code), found)
      found.statuses.add(status)
      found.texts.add(text)
      found.places.add(place)
    }
  }
  const shared = new Map<string, string>()
  for (const { id, operation } of subjects.flatMap(({ endpoints }) => endpoints)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (isReference(response)) shared.set(response.$ref, status)
      else if (/^[45]/.test(status))
        add(status, `<a href="#${id}-${idOf(status)}">${escapeHtml(id)}</a>`, valuesIn(response.content))
    }
  }
  for (const [name, { content }] of Object.entries(components.responses)) {
    const status = shared.get(`#/components/responses/${name}`)
    if (status === undefined) continue
    add(
      status === 'default' ? 'other' : status,
      `<a href="#${sharedId(name)}">everywhere</a>`,
      valuesIn(content),
    )
  }
  return codes
}

function newCode(): ErrorCode {
  return { statuses: new Set(), texts: new Set(), places: new Set() }
}

function statusesOf({ statuses }: ErrorCode): string {
  return [...statuses].sort().join(', ')
}

function valuesIn(content: { [type: string]: { examples?: { [name: string]: { value: unknown } } } } = {}) {
  return Object.values(content).flatMap(({ examples = {} }) =>
    Object.values(examples).map(({ value }) => value),
  )
}

function sharedResponses({ components }: ApiDocument): string {
  const parts = Object.entries(components.responses).map(([name, response]) => {
    const id = sharedId(name)
    const [schema] = Object.values(response.content ?? {}).map((media) => media.schema)
    return `<section class="operation" aria-labelledby="${id}">
<div class="words">${heading(4, id, escapeHtml(titleOf(name)))}${prose(response.description)}${headerLine(response.headers)}${schema === undefined ? '' : errorModels(schema)}</div>
<div class="code">${codeBox([{ label: 'JSON', html: examplesOf(response) }], { title: 'Body', about: titleOf(name) })}</div>
</section>`
  })
  return `<h3>What every operation can answer</h3>\n${parts.join('\n')}`
}

function models(document: ApiDocument): string {
  const { schemas } = document.components
  const names = errorModelNames(document)
  const parts = names.flatMap((name) => {
    const schema = schemas[name]
    if (schema === undefined) return []
    const id = modelId(name)
    return [
      `${heading(4, id, escapeHtml(name))}${prose(schema.description)}${bodyFields(schemas, id, schema)}`,
    ]
  })
  return `<h3>Bodies of errors</h3>\n<div class="narrow">${parts.join('\n')}</div>`
}

function errorModelNames({ components, paths }: ApiDocument): string[] {
  const responses = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.entries(responses))
    .filter(([status]) => /^[45]/.test(status))
    .map(([, response]) => response)
  return [
    ...new Set([
      ...namesIn(Object.values(components.responses).map(contentOf)),
      ...namesIn(responses.map(contentOf)),
    ]),
  ]
}

function contentOf(response: object): unknown {
  if (!('content' in response)) return undefined
  return Object.values(Object(response.content)).map((media) => Object(media).schema)
}

function headers({ components }: ApiDocument): string {
  const list = Object.entries(components.headers).map(([name, { description, schema, required }]) => ({
    ...{ name, in: 'header' as const, description, schema, required: required ?? false },
  }))
  return `<div class="narrow">${parameterFields(components.schemas, headerId('').slice(0, -1), list)}</div>`
}

function titleOf(name: string): string {
  return name
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim()
    .replace(/^./, (letter) => letter.toUpperCase())
}
