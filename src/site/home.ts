import type { Config } from '../config.ts'
import type { RouteContext, Routes } from '../http/context.ts'
import { reply } from '../http/reply.ts'
import { siteHeader } from './header.ts'
import { basePath, renderPage, replyPage, styleSheets } from './page.ts'

/** What there is to find, and where. */
const places = [
  { path: '/b2b', name: 'api', what: 'The API, with the key in X-Api-Key' },
  {
    path: '/reference',
    name: 'reference',
    what: 'Every endpoint, field and error; add ?key= and your API key',
  },
  {
    path: '/openapi.json',
    name: 'openApi',
    what: 'The same for programs (OpenAPI 3.1), with the key in X-Api-Key',
  },
  {
    path: '/docs',
    name: 'guide',
    what: 'The guide for partners: first order, webhooks, errors; asks for its password',
  },
  { path: '/livez', name: 'live', what: 'Whether the process lives' },
  { path: '/readyz', name: 'ready', what: 'Whether it can do its work' },
] as const

/** `/`: where things are, for people as a page, for programs as JSON. It says nothing that only some may know. */
export function addHomeRoutes(routes: Routes, { publicUrl }: Pick<Config, 'publicUrl'>): void {
  const base = basePath(publicUrl)
  const page = homePage(base)
  const paths = Object.fromEntries(places.map(({ name, path }) => [name, `${base}${path}`]))
  const json = JSON.stringify({ service: 'supply-ordering', ...paths })

  routes.get('/', (ctx: RouteContext) => {
    ctx.vary('Accept')
    // What names no type, as curl does, is a program.
    if (ctx.accepts('json', 'html') === 'html') replyPage(ctx, page)
    else reply(ctx, json)
  })
}

function homePage(base: string): string {
  // The API has no page of its own.
  const linked = (path: string) =>
    path === '/b2b' ? `${base}${path}` : `<a href="${base}${path}">${base}${path}</a>`
  const rows = places.map(({ path, what }) => `<tr><td>${linked(path)}</td><td>${what}</td></tr>`)
  return renderPage(base, {
    title: 'Supply ordering',
    head: styleSheets(base, ['page.css', 'frame.css']),
    body: `${siteHeader(base)}
<main class="text alone" id="content">
<h1>Supply ordering</h1>
<p>A wholesale ordering service for business partners. Here is where things are:</p>
<div class="scroll" role="group" aria-label="Table" tabindex="0"><table><thead><tr><th>Address</th><th>What is there</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table></div>
<p>No key yet? The operators of this service give you one.</p>
</main>`,
  })
}
