import { type Heading, type Rendered, renderMarkdown } from '../markdown.ts'
import { escapeHtml, renderPage, searchBox, siteHeader, styleSheets } from '../page.ts'
import { type ApiDocument, type Endpoint, subjectsOf } from '../reference/api_document.ts'
import { addressIn } from './files.ts'
import { type GuidePage, guideGroups, guidePages, readGuidePage } from './pages.ts'

/** The text of a page as HTML. Throws for a broken link. */
export function renderGuideText(base: string, page: GuidePage): Rendered {
  return renderMarkdown(readGuidePage(page), (target) => addressIn(base, target))
}

/** A page of the guide as HTML. Throws for a broken link. */
export function renderGuidePage(base: string, document: ApiDocument, page: GuidePage): string {
  const { html, headings } = renderGuideText(base, page)
  const sections = sectionList(headings)
  const part = guideGroups.find(({ pages }) => pages.includes(page))?.label ?? ''
  return renderPage(base, {
    title: `${page.label} · Supply ordering`,
    head: `${styleSheets(base, ['page.css', 'frame.css', 'code.css', 'guide.css', 'search.css'])}
<script type="module" src="${base}/assets/guide.js"></script>`,
    body: `<a class="skip" href="#content">Skip to the text</a>
${siteHeader(base, 'guide', { search: searchBox('Search the guide', `${base}/docs/search.json`) })}
<div class="columns">
${contents(base, page, sections)}
<main class="text" id="content">
<p class="part">${part}</p>
${html}${operationLinks(base, document, page.operations)}
${neighbours(base, page)}
</main>
${onThisPage(sections)}
</div>`,
  })
}

/** All pages by group, and below the current one its sections. */
function contents(base: string, page: GuidePage, sections: string): string {
  const link = (one: GuidePage) =>
    one === page
      ? `<li><a href="${base}${one.path}" aria-current="page">${one.label}</a>${sections}</li>`
      : `<li><a href="${base}${one.path}">${one.label}</a></li>`
  const groups = guideGroups.map(
    ({ label, pages }) =>
      `<li class="group"><span class="group-name">${label}</span><ul>${pages.map(link).join('\n')}</ul></li>`,
  )
  return `<details class="contents" open><summary>Contents <span>${page.label}</span></summary>
<nav aria-label="Guide"><ul>
${groups.join('\n')}
</ul></nav></details>`
}

function sectionList(headings: Heading[]): string {
  const links = headings
    .filter(({ depth }) => depth === 2 || depth === 3)
    .map(({ id, depth, text }) => `<li class="level-${depth}"><a href="#${id}"><span>${text}</span></a></li>`)
  return links.length === 0 ? '' : `<ul class="sections">${links.join('\n')}</ul>`
}

/** A wide screen shows the sections at the right of the text. */
function onThisPage(sections: string): string {
  return sections === '' ? '' : `<nav class="on-page" aria-label="On this page"><p>On this page</p>${sections}</nav>`
}

/** The links to the previous and the next page. */
function neighbours(base: string, page: GuidePage): string {
  const place = guidePages.indexOf(page)
  const link = (one: GuidePage | undefined, kind: string, word: string) =>
    one === undefined
      ? ''
      : `<a class="neighbour ${kind}" rel="${kind}"
href="${base}${one.path}"><small>${word}</small>${one.label}</a>`
  const links = [link(guidePages[place - 1], 'prev', 'Previous'), link(guidePages[place + 1], 'next', 'Next')]
  return `<nav class="neighbours" aria-label="Previous and next page">${links.join('')}</nav>`
}

/** Links to operations in the reference, by their ids. Empty without ids. Throws for an unknown id. */
function operationLinks(base: string, document: ApiDocument, ids: string[]): string {
  if (ids.length === 0) return ''
  const endpoints = subjectsOf(document).flatMap((subject) => subject.endpoints)
  const links = ids.map((id) => {
    const endpoint = endpoints.find((one) => one.id === id)
    if (endpoint === undefined) throw new Error(`the guide names an operation that does not exist: ${id}`)
    return operationLink(base, endpoint)
  })
  return `<aside class="operations" aria-label="In the reference"><p>In the reference</p>
<ul>${links.join('\n')}</ul></aside>`
}

function operationLink(base: string, { id, method, operation, path, event }: Endpoint): string {
  const kind = event === undefined ? method.toLowerCase() : 'event'
  const mark = event === undefined ? method : 'EVENT'
  return `<li><span class="method ${kind}">${mark}</span><span><a
href="${base}/reference#${id}">${escapeHtml(operation.summary)}</a>
<code>${escapeHtml(path ?? event)}</code></span></li>`
}
