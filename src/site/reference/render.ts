import { codeBlock, codeBox } from '../code_box.ts'
import { escapeHtml, searchBox, siteHeader } from '../page.ts'
import { type ApiDocument, type Endpoint, lastSubjects, type Subject, schemesOf, subjectsOf } from './api_document.ts'
import { errorSections } from './errors.ts'
import { schemeField } from './fields.ts'
import { heading, prose } from './html.ts'
import { type Addresses, operationSection } from './operation.ts'
import { samplesOf } from './samples.ts'

/**
 * The body of a page that shows an OpenAPI document: its operations by subject, with all fields, examples and
 * answers. All texts of the document are escaped. Throws if the document has a broken reference, an unknown tag, or
 * a required parameter without an example.
 */
export function renderReference(document: ApiDocument, addresses: Addresses): string {
  const { base } = addresses
  const subjects = subjectsOf(document).filter(({ endpoints }) => endpoints.length > 0)
  const forPartners = subjects.filter(({ id }) => !lastSubjects.includes(id))
  const others = subjects.filter(({ id }) => lastSubjects.includes(id))
  const sections = (some: Subject[]) => some.map((subject) => subjectSection(document, addresses, subject)).join('\n')
  return `<a class="skip" href="#content">Skip to the text</a>
${siteHeader(base, 'reference', { search: searchBox('Search the reference') })}
<div class="columns">
${sidebar(forPartners, others)}
<main class="text" id="content">
${introduction(document, addresses, subjects)}
${sections(forPartners)}
${errorSections(document)}
${sections(others)}
</main>
</div>`
}

function sidebar(forPartners: Subject[], others: Subject[]): string {
  const plain = (id: string, label: string) => `<li><a href="#${id}"><span>${label}</span></a></li>`
  const group = ({ id, name, endpoints }: Subject) =>
    `<li class="group"><a class="group-name"
href="#${id}">${escapeHtml(name)}</a><ul>${endpoints.map(sidebarLink).join('\n')}</ul></li>`
  return `<details class="contents" open><summary>Contents <span></span></summary>
<nav aria-label="Contents">
<ul>
${plain('introduction', 'Introduction')}
${plain('authentication', 'Authentication')}
${forPartners.map(group).join('\n')}
${plain('errors', 'Errors')}
${plain('common-responses', 'Common responses')}
${plain('headers', 'Response headers')}
${others.map(group).join('\n')}
</ul></nav></details>`
}

function sidebarLink({ id, method, operation, path, event }: Endpoint): string {
  const mark = event === undefined ? method : 'EVENT'
  return `<li><a href="#${id}"
data-address="${escapeHtml(path ?? event)}"><span>${escapeHtml(operation.summary)}</span>
<span class="method ${event === undefined ? method.toLowerCase() : 'event'}">${mark}</span></a></li>`
}

function introduction(document: ApiDocument, { base, address }: Addresses, subjects: Subject[]): string {
  const first = subjects[0]?.endpoints[0]
  const sample = first === undefined ? '' : firstRequest(document, address, first)
  return `<section class="subject operation" aria-labelledby="introduction">
<div class="words">
<h1 id="introduction">API reference</h1>
${prose(document.info.description)}
<p>Step-by-step instructions: <a href="${base}/docs">the guide</a>. Machine-readable version: <a
href="${base}/openapi.json">openapi.json</a>, with the key.</p>
</div>
<div class="code">
${codeBox([{ label: 'URL', html: codeBlock('text', address) }], { title: 'Address', about: 'Address' })}
${sample}
</div>
</section>
<section class="subject operation" aria-labelledby="authentication">
<div class="words">
${heading(2, 'authentication', 'Authentication')}
<ul class="fields">${schemesOf(document)
    .map((scheme) => schemeField(scheme, true))
    .join('')}</ul>
</div>
</section>`
}

function firstRequest(document: ApiDocument, address: string, endpoint: Endpoint): string {
  const samples = samplesOf(document, address, endpoint)
  return codeBox(samples, { title: 'First request', group: 'language', about: 'First request' })
}

function subjectSection(document: ApiDocument, addresses: Addresses, subject: Subject): string {
  const { id, name, description, endpoints } = subject
  return `<section class="subject" aria-labelledby="${id}">
${heading(2, id, escapeHtml(name))}
${prose(description)}
${endpoints.map((endpoint) => operationSection(document, addresses, endpoint)).join('\n')}
</section>`
}
