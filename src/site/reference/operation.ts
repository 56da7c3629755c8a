import { codeBlock, codeBox } from '../code_box.ts'
import type { Operation, Parameter } from '../openapi/types.ts'
import { escapeHtml } from '../page.ts'
import type { ApiDocument, Endpoint } from './api_document.ts'
import { bodyFields, parameterFields } from './fields.ts'
import { code, heading, prose } from './html.ts'
import { sampleRequest } from './request.ts'
import { examplesAs, responseExamples, responseList } from './responses.ts'
import { deliveryOf, samplesOf } from './samples.ts'

const places = [
  { place: 'path', title: 'Path parameters' },
  { place: 'query', title: 'Query parameters' },
  { place: 'header', title: 'Headers' },
] as const

export type Addresses = {
  /** The path under which the service is reached, escaped for HTML, without a slash at its end. */
  base: string
  /** The URL of the service in the samples. */
  address: string
}

/** An operation or webhook: its words and fields, and beside them its requests and answers. */
export function operationSection(
  document: ApiDocument,
  { base, address }: Addresses,
  endpoint: Endpoint,
): string {
  const { id, method, operation, path, event } = endpoint
  return `<section class="operation" id="${id}" aria-labelledby="${id}-title">
<div class="words">
<h3 id="${id}-title"><a class="anchor" href="#${id}">${escapeHtml(operation.summary)}</a></h3>
<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> ${code(path ?? event ?? '')}</p>
${prose(operation.description)}${event === undefined ? '' : verification(base)}
${securityLine(document, operation)}${parameterParts(document, endpoint)}${requestPart(document, endpoint)}
${heading(4, `${id}-responses`, event === undefined ? 'Responses' : 'What your answer means')}
${responseList(document, endpoint)}
</div>
<div class="code">
${event === undefined ? requestBoxes(document, address, endpoint) : deliveryBox(document, endpoint)}
</div>
</section>`
}

// What needs no word is left out: the key that every operation takes.
function securityLine({ components, security }: ApiDocument, operation: Operation): string {
  const requirements = operation.security ?? security
  if (requirements.length === 0) return '<p class="limits">No key is needed.</p>'
  if (operation.security === undefined) return ''
  const names = requirements.flatMap((requirement) => Object.keys(requirement))
  const lines = names.map((name) => {
    const scheme = components.securitySchemes[name]
    const field = scheme?.type === 'apiKey' ? scheme.name : 'Authorization: Basic'
    return `<li class="field"><p class="field-head"><span class="field-name">${escapeHtml(field)}</span> <span class="type">${scheme?.type === 'apiKey' ? scheme.in : 'header'}</span></p>${prose(scheme?.description)}</li>`
  })
  return `<h4>Authentication</h4><ul class="fields">${lines.join('')}</ul>`
}

function parameterParts({ components }: ApiDocument, { id, operation, event }: Endpoint): string {
  return places
    .map(({ place, title }) => {
      const parameters = (operation.parameters ?? []).filter((one) => one.in === place)
      if (parameters.length === 0) return ''
      const name = event === undefined ? title : 'Headers that it comes with'
      const noted = event === undefined ? 'required' : 'optional'
      const fields = parameterFields(components.schemas, `${id}-${place}`, parameters, noted)
      return `${heading(4, `${id}-${place}`, name)}${fields}`
    })
    .join('\n')
}

function verification(base: string): string {
  return `<p>Code that verifies a delivery is in <a href="${base}/docs/webhooks">the guide to webhooks</a>.</p>`
}

function requestPart({ components }: ApiDocument, { id, operation, event }: Endpoint): string {
  const { requestBody } = operation
  if (requestBody === undefined) return ''
  const fields = Object.values(requestBody.content).map(({ schema }) =>
    bodyFields(components.schemas, `${id}-body`, schema, event === undefined ? 'required' : 'optional'),
  )
  const title = event === undefined ? 'Request body' : 'Body that it comes with'
  return `${heading(4, `${id}-body`, title)}${prose(requestBody.description)}${fields.join('')}`
}

/** What a reader sends, and what comes back; then what else can be sent. */
function requestBoxes(document: ApiDocument, address: string, endpoint: Endpoint): string {
  const { operation } = endpoint
  const response = responseExamples(endpoint, `Response of ${operation.summary}`)
  const samples = samplesOf(sampleRequest(document, address, endpoint))
  const request = codeBox(samples, {
    title: 'Request',
    group: 'language',
    about: `Request of ${operation.summary}`,
  })
  const [, ...others] = Object.entries(operation.requestBody?.content['application/json']?.examples ?? {})
  if (others.length === 0) return `${request}\n${response}`
  const tabs = others.map(([name, example]) => ({
    label: example.summary ?? name,
    html: examplesAs('application/json', { [name]: example }),
  }))
  return `${request}\n${response}\n${codeBox(tabs, { title: 'Other request bodies', about: `Request body of ${operation.summary}` })}`
}

function deliveryBox({ components }: ApiDocument, { operation }: Endpoint): string {
  const headers = [...(operation.parameters ?? []).map(headerOf), ...signatureOf(components, operation)]
  const examples = Object.entries(operation.requestBody?.content['application/json']?.examples ?? {})
  const tabs = examples.map(([name, { summary = name, value }]) => ({
    label: summary,
    html: codeBlock('http', deliveryOf(headers, value)),
  }))
  return codeBox(tabs, { title: 'What you receive', about: `Delivery of ${operation.summary}` })
}

function signatureOf({ securitySchemes }: ApiDocument['components'], { security = [] }: Operation) {
  return security
    .flatMap((requirement) => Object.keys(requirement))
    .flatMap((name) => {
      const scheme = securitySchemes[name]
      return scheme?.type === 'apiKey' ? [{ name: scheme.name, example: 'sha256=…' }] : []
    })
}

function headerOf({ name, example }: Parameter): { name: string; example: string } {
  return { name, example: String(example) }
}
