import { type Heading, renderMarkdown } from '../markdown.ts'
import { renderPage } from '../page.ts'
import { addressIn } from './files.ts'
import { type GuidePage, guideGroups, readGuidePage } from './pages.ts'

/** A page of the guide as HTML. Throws if a link in it leads nowhere. */
export function renderGuidePage(base: string, page: GuidePage): string {
  const { html, headings } = renderMarkdown(readGuidePage(page), (target) => addressIn(base, target))
  return renderPage(base, {
    title: `Supply ordering: ${page.label}`,
    head: `<link rel="stylesheet" href="${base}/assets/guide.css">`,
    body: `<a class="skip" href="#content">Skip to the text</a>
<header class="site"><a class="name" href="${base}/docs">Supply ordering</a><nav aria-label="Pages"><a href="${base}/docs" aria-current="true">Guide</a><a href="${base}/reference">Reference</a></nav></header>
<div class="columns">
${sidebar(base, page, headings)}
<main class="text" id="content">
${html}</main>
</div>`,
  })
}

/** All pages by group, and below the present one its sections. */
function sidebar(base: string, page: GuidePage, headings: Heading[]): string {
  const sections = headings
    .filter(({ depth }) => depth === 2 || depth === 3)
    .map(({ id, depth, text }) => `<li class="level-${depth}"><a href="#${id}">${text}</a></li>`)
    .join('')
  const link = (one: GuidePage) =>
    one === page
      ? `<li><a href="${base}${one.path}" aria-current="page">${one.label}</a><ul>${sections}</ul></li>`
      : `<li><a href="${base}${one.path}">${one.label}</a></li>`
  const groups = guideGroups.map(
    ({ label, pages }) => `<li><span>${label}</span><ul>${pages.map(link).join('\n')}</ul></li>`,
  )
  return `<nav class="contents" aria-label="Contents"><ul>\n${groups.join('\n')}\n</ul></nav>`
}
