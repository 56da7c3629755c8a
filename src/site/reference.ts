import { accountOf } from '../http/context.ts'
import { jsonLine } from '../http/reply.ts'
import { addressOf, exampleAddress, withAddress } from './address.ts'
import { siteRoute } from './options.ts'
import { pageAnswer, renderPage, replyPage, styleSheets } from './page.ts'
import { renderReference } from './reference/render.ts'

const tag = 'Documents'

/** The OpenAPI document, and a page that shows it (specification 4), rendered at its first request. */
export const referenceRoutes = [
  siteRoute({
    method: 'get',
    path: '/openapi.json',
    access: 'keyInHeaderOrQuery',
    id: 'getOpenApi',
    tag,
    summary: 'OpenAPI document',
    description: 'Send the key in `X-Api-Key`, or as `key` in the query.',
    answers: {
      200: { description: 'OpenAPI 3.1.', types: ['application/json'], headers: ['Cache-Control', 'Referrer-Policy'] },
    },
    keep: ({ document }) => ({ text: jsonLine(JSON.stringify(document)) }),
    handle: (ctx, { publicUrl, text }) => {
      accountOf(ctx)
      ctx.status = 200
      ctx.type = 'application/json'
      const address = JSON.stringify(addressOf(ctx, publicUrl)).slice(1, -1)
      ctx.body = text.replaceAll(exampleAddress, () => address)
    },
  }),
  siteRoute({
    method: 'get',
    path: '/reference',
    access: 'keyInQuery',
    id: 'getReference',
    tag,
    summary: 'API reference',
    description:
      'The URL contains the key, so open it on a machine that you control. The page removes the key from the address ' +
      'bar at once. A browser (`Accept: text/html`) without a valid key gets the same status with a form for the key.',
    answers: { 200: pageAnswer },
    keep: ({ document, base }) => {
      let page: string | undefined
      const render = () => referencePage(base, renderReference(document, { base, address: exampleAddress }))
      return { pageOnce: () => (page ??= render()) }
    },
    handle: (ctx, { publicUrl, pageOnce }) => {
      accountOf(ctx)
      replyPage(ctx, withAddress(pageOnce(), addressOf(ctx, publicUrl)), { fetches: true })
    },
  }),
]

const sheets = ['page.css', 'frame.css', 'code.css', 'reference.css', 'search.css']

/** A page of the reference with this body. */
export function referencePage(base: string, body: string): string {
  return renderPage(base, {
    title: 'Supply ordering: API reference',
    // The first script takes the key out of the address bar before anything else is loaded.
    head: `<script src="${base}/assets/reference_key.js"></script>
${styleSheets(base, sheets)}
<script type="module" src="${base}/assets/reference.js"></script>`,
    body,
  })
}
