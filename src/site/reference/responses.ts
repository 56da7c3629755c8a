import { codeBlock, codeBox, type Tab } from '../code_box.ts'
import type { Examples, Header, Operation, Reference, Response } from '../openapi/types.ts'
import { escapeHtml } from '../page.ts'
import { type ApiDocument, type Endpoint, idOf, isReference, nameOf } from './api_document.ts'
import { bodyFields } from './fields.ts'
import { code, prose } from './html.ts'
import { literal } from './literals.ts'

/** The id of the page's element of a shared response. */
export const sharedId = (name: string) => `response-${idOf(name)}`
/** The id of the page's element of the model of an error. */
export const modelId = (name: string) => `model-${idOf(name)}`
/** The id of the page's element of a header. */
export const headerId = (name: string) => `header-${idOf(name)}`

/** Every response of an operation in words: what it means, its headers, its fields. */
export function responseList(document: ApiDocument, { id, operation }: Endpoint): string {
  const shown = new Map<string, string>()
  const items = ordered(operation).map(([status, response]) => {
    const place = `${id}-${idOf(status)}`
    if (isReference(response)) return sharedResponse(document, place, status, response)
    const model = modelOf(response)
    const earlier = model === undefined ? undefined : shown.get(model)
    if (model !== undefined && earlier === undefined) shown.set(model, status)
    const fields =
      earlier === undefined
        ? fieldsOf(document, place, status, response)
        : sameAs(earlier, `${id}-${idOf(earlier)}`)
    return `<li class="response" id="${place}">${statusMark(status, place)}
<div class="response-text">${prose(response.description)}${headerLine(response.headers)}${fields}</div></li>`
  })
  return `<ul class="responses">${items.join('\n')}</ul>`
}

/** The examples of an operation's own responses, a tab for each status. Empty where there are none. */
export function responseExamples({ operation }: Endpoint, about: string): string {
  const tabs: Tab[] = ordered(operation).flatMap(([status, response]) => {
    const html = isReference(response) ? '' : examplesOf(response)
    return html === '' ? [] : [{ label: status, html }]
  })
  return tabs.length === 0 ? '' : codeBox(tabs, { title: 'Response', about })
}

// What is made for the first time is what a reader wants to see first.
function ordered({ responses }: Operation): [string, Response | Reference][] {
  const rank = (status: string) => (status === '201' ? 0 : 1)
  return Object.entries(responses).sort(([one], [other]) => rank(one) - rank(other))
}

/** The examples of one response, of each type that it can have. */
export function examplesOf({ content = {} }: Response): string {
  return Object.entries(content)
    .map(([type, { examples = {} }]) => examplesAs(type, examples))
    .join('')
}

/** Examples of a body, each with its title where there are several. */
export function examplesAs(type: string, examples: Examples): string {
  const all = Object.entries(examples)
  return all
    .map(([name, { summary = name, value }]) => {
      const isText = typeof value === 'string' && type !== 'application/json'
      const block = isText ? codeBlock('text', value) : codeBlock('json', literal(value))
      const isTitled = all.length > 1 || type !== 'application/json'
      const title = type === 'application/json' ? summary : `${summary} (${type})`
      return `${isTitled ? `<p class="example">${escapeHtml(title)}</p>` : ''}${block}`
    })
    .join('')
}

/** The headers of a response by name, each of which is described once for all. */
export function headerLine(headers: { [name: string]: Header | Reference } = {}): string {
  const names = Object.keys(headers)
  if (names.length === 0) return ''
  const links = names.map((name) => `<a href="#${headerId(name)}">${escapeHtml(name)}</a>`)
  return `<p class="headers">Headers: ${links.join(', ')}</p>`
}

/** A status, as a link to its own place. */
function statusMark(status: string, place: string): string {
  const kind = /^2/.test(status) ? 'good' : /^3/.test(status) ? 'moved' : 'bad'
  const text = status === 'default' ? 'other' : status
  return `<a class="status ${kind}" href="#${place}">${escapeHtml(text)}</a>`
}

function sharedResponse(
  { components }: ApiDocument,
  place: string,
  status: string,
  reference: Reference,
): string {
  const name = nameOf(reference)
  const description = components.responses[name]?.description ?? ''
  return `<li class="response" id="${place}">${statusMark(status, place)}
<div class="response-text shared">${prose(description)}<p class="more"><a href="#${sharedId(name)}">As everywhere</a></p></div></li>`
}

function fieldsOf(document: ApiDocument, id: string, status: string, { content = {} }: Response): string {
  const { schemas } = document.components
  return Object.entries(content)
    .map(([type, { schema }]) => {
      if (/^[45]/.test(status)) return errorModels(schema)
      const fields = bodyFields(schemas, id, schema)
      return fields === '' ? `<p class="body-type">${code(type)}</p>` : fields
    })
    .join('')
}

/** Links to what is said once about the bodies of errors. */
export function errorModels(schema: object): string {
  const names = [...new Set(namesIn(schema))]
  const links = names.map((name) => `<a href="#${modelId(name)}">${escapeHtml(name)}</a>`)
  return links.length === 0 ? '' : `<p class="headers">Body: ${links.join(' or ')}</p>`
}

/** The names of the components that a schema is made of. */
export function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  if (isReference(schema)) return [nameOf(schema)]
  return Object.values(schema).flatMap(namesIn)
}

function modelOf({ content = {} }: Response): string | undefined {
  const [media] = Object.values(content)
  return media !== undefined && isReference(media.schema) ? nameOf(media.schema) : undefined
}

function sameAs(status: string, place: string): string {
  return `<p class="more">The fields are those of <a href="#${place}">${escapeHtml(status)}</a>.</p>`
}
