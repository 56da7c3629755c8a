import { codeBlock, codeBox, type Tab } from '../code_box.ts'
import type { Examples, Header, Operation, Reference, Response } from '../openapi/types.ts'
import { escapeHtml } from '../page.ts'
import { type ApiDocument, type Endpoint, idOf, isReference, nameOf } from './api_document.ts'
import { bodyFields } from './fields.ts'
import { code, prose } from './html.ts'
import { literal } from './samples.ts'

/** The ids of the page's elements for a shared response, the model of an error and a header. */
export const sharedId = (name: string) => `response-${idOf(name)}`
export const modelId = (name: string) => `model-${idOf(name)}`
export const headerId = (name: string) => `header-${idOf(name)}`

/** The operation's own responses: their meaning, headers and fields. One line names the common ones. */
export function responseList(document: ApiDocument, { id, operation }: Endpoint): string {
  const shown = new Map<string, string>()
  const own = ordered(operation).map(([status, response]) => {
    const place = `${id}-${idOf(status)}`
    const model = modelOf(response)
    const earlier = model === undefined ? undefined : shown.get(model)
    if (model !== undefined && earlier === undefined) shown.set(model, status)
    const fields =
      earlier === undefined
        ? fieldsOf(document, place, status, response)
        : `<p class="more">The same fields as <a href="#${id}-${idOf(earlier)}">${escapeHtml(earlier)}</a>.</p>`
    return `<li class="response" id="${place}"><a class="status ${kindOf(status)}"
href="#${place}">${escapeHtml(status)}</a>
<div class="response-text">${prose(response.description)}${headerLine(response.headers)}${fields}</div></li>`
  })
  return `<ul class="responses">${own.join('\n')}</ul>${commonLine(operation)}`
}

function commonLine({ responses }: Operation): string {
  const links = Object.entries(responses).flatMap(([status, response]) =>
    isReference(response)
      ? [`<a href="#${sharedId(nameOf(response))}">${status === 'default' ? 'other' : escapeHtml(status)}</a>`]
      : [],
  )
  return links.length === 0 ? '' : `<p class="more">Common responses: ${links.join(', ')}</p>`
}

/** The examples of an operation's own responses, a tab for each status. Empty if there are none. */
export function responseExamples({ operation }: Endpoint, about: string): string {
  const tabs: Tab[] = ordered(operation).flatMap(([status, response]) => {
    const html = examplesOf(response)
    return html === '' ? [] : [{ label: status, html }]
  })
  return tabs.length === 0 ? '' : codeBox(tabs, { title: 'Response', about })
}

// The success of a first request comes before that of a repeated one.
function ordered({ responses }: Operation): [string, Response][] {
  const rank = (status: string) => (status === '201' ? 0 : 1)
  return Object.entries(responses)
    .flatMap(([status, response]): [string, Response][] => (isReference(response) ? [] : [[status, response]]))
    .sort(([one], [other]) => rank(one) - rank(other))
}

/** The examples of one response, of each type that it can have. */
export function examplesOf({ content = {} }: Response): string {
  return Object.entries(content)
    .map(([type, { examples = {} }]) => examplesAs(type, examples))
    .join('')
}

/** Examples of a body, each with its title if there are several. */
export function examplesAs(type: string, examples: Examples): string {
  const all = Object.entries(examples)
  return all
    .map(([name, { value }]) => {
      const isText = typeof value === 'string' && type !== 'application/json'
      const block = isText ? codeBlock('text', value) : codeBlock('json', literal(value))
      const title = all.length > 1 || isText ? `<p class="example">${escapeHtml(name)}</p>` : ''
      return `${title}${block}`
    })
    .join('')
}

// These are described once, at the headers of responses.
const onEveryResponse = /^X-(?:Request-Id|Api-Version|Content-Type-Options|RateLimit-.*)$/

/** Links to the headers of a response, except those of every response. */
export function headerLine(headers: { [name: string]: Header | Reference } = {}): string {
  const names = Object.keys(headers).filter((name) => !onEveryResponse.test(name))
  const links = names.map((name) => `<a href="#${headerId(name)}">${escapeHtml(name)}</a>`)
  return links.length === 0 ? '' : `<p class="headers">Headers: ${links.join(', ')}</p>`
}

function kindOf(status: string): string {
  return /^2/.test(status) ? 'good' : /^3/.test(status) ? 'moved' : 'bad'
}

function fieldsOf(document: ApiDocument, id: string, status: string, { content = {} }: Response): string {
  return Object.entries(content)
    .map(([type, { schema }]) => {
      if (/^[45]/.test(status)) return errorModels(schema)
      const fields = bodyFields(document.components.schemas, id, schema)
      return fields === '' ? `<p class="body-type">${code(type)}</p>` : fields
    })
    .join('')
}

/** Links to the models of the bodies of errors. */
export function errorModels(schema: object): string {
  const names = [...new Set(namesIn(schema))]
  const links = names.map((name) => `<a href="#${modelId(name)}">${escapeHtml(name)}</a>`)
  return links.length === 0 ? '' : `<p class="headers">Body: ${links.join(' or ')}</p>`
}

/** The names of the components that a value refers to. */
export function namesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (isReference(value)) return [nameOf(value)]
  return Object.values(value).flatMap(namesIn)
}

function modelOf({ content = {} }: Response): string | undefined {
  const [media] = Object.values(content)
  return media !== undefined && isReference(media.schema) ? nameOf(media.schema) : undefined
}
