import * as v from 'valibot'
import { reply } from '../http/reply.ts'
import { siteRoute } from './options.ts'
import { renderPage, replyPage, siteHeader, styleSheets } from './page.ts'

/** The paths of the service by their names in JSON. */
const places = {
  api: '/b2b',
  reference: '/reference',
  openApi: '/openapi.json',
  guide: '/docs',
  live: '/livez',
  ready: '/readyz',
}

const path = (example: string) => v.pipe(v.string(), v.examples([example]))

/** The model of the addresses. */
export const placesModel = v.object({
  service: v.picklist(['supply-ordering']),
  ...Object.fromEntries(Object.entries(places).map(([name, address]) => [name, path(address)])),
})

/** The addresses of the service, as a page for people and as JSON for programs. They are public. */
export const homeRoutes = [
  siteRoute({
    method: 'get',
    path: '/',
    access: 'none',
    id: 'getPlaces',
    tag: 'Documents',
    summary: 'Home page',
    description:
      'The paths of the API, the documents and the health checks: a page for browsers, JSON for others, by `Accept`.',
    answers: {
      200: {
        description: 'The paths.',
        data: placesModel,
        types: ['text/html'],
        headers: ['Vary', 'Content-Security-Policy'],
      },
    },
    keep: ({ base }) => {
      const page = homePage(base)
      const paths = Object.fromEntries(Object.entries(places).map(([name, path]) => [name, `${base}${path}`]))
      const json = JSON.stringify({ service: 'supply-ordering', ...paths })
      return { page, json }
    },
    handle: (ctx, { page, json }) => {
      ctx.vary('Accept')
      // A client that prefers no type, like curl, is a program.
      if (ctx.accepts('json', 'html') === 'html') replyPage(ctx, page)
      else reply(ctx, json)
    },
  }),
]

function homePage(base: string): string {
  const link = (path: string, label = `${base}${path}`) => `<a href="${base}${path}">${label}</a>`
  const rows = [
    [`${base}/b2b`, 'The API; send the key in <code>X-Api-Key</code>'],
    [link('/openapi.json'), 'The OpenAPI 3.1 document, with the key in <code>X-Api-Key</code>'],
    [link('/livez'), 'Liveness'],
    [link('/readyz'), 'Readiness'],
  ].map(([address, purpose]) => `<tr><td>${address}</td><td>${purpose}</td></tr>`)
  return renderPage(base, {
    title: 'Supply ordering',
    head: styleSheets(base, ['page.css', 'frame.css']),
    body: `${siteHeader(base)}
<main class="text alone" id="content">
<h1>Supply ordering</h1>
<p>A wholesale ordering service for business partners: top-ups and keys, a prepaid balance, signed webhooks.</p>
<h2>Start here</h2>
<ol>
<li>Ask the operators of this service for an API key and the password of the guide. A demo prints both when it
starts.</li>
<li>Follow the quickstart in ${link('/docs', 'the guide')}: your first order and your first webhook.</li>
<li>Look up operations, fields and errors in ${link('/reference', 'the reference')}, and try them there with your
key.</li>
</ol>
<h2>Addresses for programs</h2>
<div class="scroll" role="group" aria-label="Addresses"
tabindex="0"><table><thead><tr><th>Address</th><th>Purpose</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table></div>
</main>`,
  })
}
