import { codeBlock, codeBox } from '../code_box.ts'
import type { Operation } from '../openapi/types.ts'
import { escapeHtml } from '../page.ts'
import { type ApiDocument, type Endpoint, schemesOf } from './api_document.ts'
import { bodyFields, parameterFields, schemeField } from './fields.ts'
import { code, heading, prose } from './html.ts'
import { examplesAs, responseExamples, responseList } from './responses.ts'
import { literal, samplesOf } from './samples.ts'
import { tryItForm } from './try_it.ts'

const places = [
  { place: 'path', title: 'Path parameters' },
  { place: 'query', title: 'Query parameters' },
  { place: 'header', title: 'Headers' },
] as const

export type Addresses = {
  /** The path of the service, escaped for HTML, without a final slash. */
  base: string
  /** The URL of the service in the samples. */
  address: string
}

/** An operation or webhook: its description and fields, and beside them its requests and answers. */
export function operationSection(document: ApiDocument, addresses: Addresses, endpoint: Endpoint): string {
  const { id, method, operation, path, event } = endpoint
  return `<section class="operation" id="${id}" aria-labelledby="${id}-title">
<div class="words">
<h3 id="${id}-title"><a class="anchor" href="#${id}">${escapeHtml(operation.summary)}</a></h3>
<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> ${code(path ?? event ?? '')}</p>
${prose(operation.description)}${event === undefined ? '' : verification(addresses.base)}
${securityLine(document, operation)}${parameterParts(document, endpoint)}${requestPart(document, endpoint)}
${heading(4, `${id}-responses`, event === undefined ? 'Responses' : 'Your answer')}
${responseList(document, endpoint)}
</div>
<div class="code">
${event === undefined ? requestBoxes(document, addresses, endpoint) : deliveryBox(document, endpoint)}
</div>
</section>`
}

// The key of most operations is described once for all.
function securityLine(document: ApiDocument, operation: Operation): string {
  if (operation.security === undefined) return ''
  const schemes = schemesOf(document, operation)
  if (schemes.length === 0) return '<p class="limits">No key is needed.</p>'
  return `<h4>Authentication</h4><ul class="fields">${schemes.map((one) => schemeField(one)).join('')}</ul>`
}

function parameterParts({ components }: ApiDocument, { id, operation, event }: Endpoint): string {
  return places
    .map(({ place, title }) => {
      const parameters = (operation.parameters ?? []).filter((one) => one.in === place)
      if (parameters.length === 0) return ''
      const name = event === undefined ? title : 'Headers'
      const noted = event === undefined ? 'required' : 'optional'
      const fields = parameterFields(components.schemas, `${id}-${place}`, parameters, noted)
      return `${heading(4, `${id}-${place}`, name)}${fields}`
    })
    .join('\n')
}

function verification(base: string): string {
  return `<p>Code that verifies the signature: <a href="${base}/docs/webhooks">guide to webhooks</a>.</p>`
}

function requestPart({ components }: ApiDocument, { id, operation, event }: Endpoint): string {
  const { requestBody } = operation
  if (requestBody === undefined) return ''
  const fields = Object.values(requestBody.content).map(({ schema }) =>
    bodyFields(components.schemas, `${id}-body`, schema, event === undefined ? 'required' : 'optional'),
  )
  const title = event === undefined ? 'Request body' : 'Body'
  return `${heading(4, `${id}-body`, title)}${prose(requestBody.description)}${fields.join('')}`
}

/** The request, a form to send it, the response, and other request bodies. Pages for people have no sample. */
function requestBoxes(document: ApiDocument, { base, address }: Addresses, endpoint: Endpoint): string {
  const { operation } = endpoint
  const { content = {} } = Object(operation.responses[200])
  if (Object.keys(content).join() === 'text/html') return ''
  const about = `Request of ${operation.summary}`
  const request = codeBox(samplesOf(document, address, endpoint), { title: 'Request', group: 'language', about })
  const response = responseExamples(endpoint, `Response of ${operation.summary}`)
  const [, ...others] = Object.entries(operation.requestBody?.content['application/json']?.examples ?? {})
  const tabs = others.map(([label, example]) => ({ label, html: examplesAs('application/json', { [label]: example }) }))
  const bodies = tabs.length === 0 ? '' : codeBox(tabs, { title: 'Other request bodies', about })
  return [request, response, tryItForm(base, endpoint), bodies].join('\n')
}

function deliveryBox(document: ApiDocument, { operation }: Endpoint): string {
  const signatures = schemesOf(document, operation).flatMap((scheme) =>
    scheme.type === 'apiKey' ? [{ name: scheme.name, example: 'sha256=…' }] : [],
  )
  const headers = [...(operation.parameters ?? []), ...signatures]
  const examples = Object.entries(operation.requestBody?.content['application/json']?.examples ?? {})
  const lines = headers.map(({ name, example }) => `${name}: ${example}\n`).join('')
  const tabs = examples.map(([label, { value }]) => ({
    label,
    html: codeBlock('http', `POST /your/callback/url HTTP/1.1\n${lines}\n${literal(value)}`),
  }))
  return codeBox(tabs, { title: 'Delivery', about: `Delivery of ${operation.summary}` })
}
