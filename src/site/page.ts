import type { Context } from '../http/context.ts'
import type { Answer } from '../http/routes/route.ts'

/** All parts come from this service; the page itself has no inline script, style or frame. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]

/** The parts of a page: its title as text, its head and body as HTML. */
export type Page = { title: string; head: string; body: string }

/** What the OpenAPI document says of a page. */
export const pageAnswer: Answer = {
  description: 'The page.',
  types: ['text/html'],
  headers: ['Cache-Control', 'Content-Security-Policy', 'Referrer-Policy'],
}

/** A whole HTML page. `base` is the path of the service, without a final slash. */
export function renderPage(base: string, { title, head, body }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="${base}/assets/icon.svg">
${head}
</head>
<body>
${body}
</body>
</html>
`
}

/** Links to style sheets, for a page's head. */
export function styleSheets(base: string, files: readonly string[]): string {
  return files.map((file) => `<link rel="stylesheet" href="${base}/assets/${file}">`).join('\n')
}

/**
 * Answers with a page. A page that `takesInput` sends a form to this service; the script of one that `fetches` asks
 * it for more.
 */
export function replyPage(
  ctx: Context,
  html: string,
  { status = 200, takesInput = false, fetches = false } = {},
): void {
  const formAction = `form-action ${takesInput ? "'self'" : "'none'"}`
  const connections = fetches ? ["connect-src 'self'"] : []
  ctx.set('Content-Security-Policy', [...contentSecurityPolicy, ...connections, formAction].join('; '))
  ctx.status = status
  ctx.type = 'text/html'
  ctx.body = html
}

/** The path of PUBLIC_URL, without a final slash, escaped for HTML. */
export function basePath(publicUrl: string | undefined): string {
  return publicUrl === undefined ? '' : escapeHtml(new URL(publicUrl).pathname.replace(/^\/$/, ''))
}

/** A text escaped for HTML, also for attributes. */
export function escapeHtml(text: string): string {
  const entities: { [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character)
}

/** The documents that the header of each page leads to. */
const documents = [
  { id: 'guide', path: '/docs', label: 'Guide' },
  { id: 'reference', path: '/reference', label: 'Reference' },
] as const

/** The header of each page. `current` is the document of the page; `search` is HTML at the end of the line. */
export function siteHeader(
  base: string,
  current?: (typeof documents)[number]['id'],
  { search = '' }: { search?: string } = {},
): string {
  const links = documents.map(
    ({ id, path, label }) => `<a href="${base}${path}"${id === current ? ' aria-current="true"' : ''}>${label}</a>`,
  )
  return `<header class="site"><a class="name" href="${base}/"><img src="${base}/assets/icon.svg" alt="" width="24"
height="24">Supply ordering</a><nav aria-label="Documents">${links.join('')}</nav>${search}</header>`
}

/**
 * A search box as HTML, hidden until a script shows it. `source` is the address of the index; empty: the page
 * itself.
 */
export function searchBox(label: string, source = ''): string {
  return `<search class="search" data-source="${source}" hidden>
<input type="text" role="combobox" aria-label="${label}" placeholder="${label}" aria-autocomplete="list"
aria-expanded="false" aria-controls="search-results" autocomplete="off" autocapitalize="off" spellcheck="false"
maxlength="100" enterkeyhint="search"><kbd aria-hidden="true">/</kbd>
<div class="search-found" hidden><p class="search-note" aria-hidden="true" hidden></p><div id="search-results"
role="listbox" aria-label="Results" hidden></div></div>
<p class="search-status" role="status"></p>
</search>`
}
