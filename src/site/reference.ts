import type { Config } from '../config.ts'
import { accountOf, type RouteContext, type Routes } from '../http/context.ts'
import { jsonLine } from '../http/reply.ts'
import { addressOf, exampleAddress, withAddress } from './address.ts'
import { openApiDocument } from './openapi/document.ts'
import { basePath, renderPage, replyPage, styleSheets } from './page.ts'
import { renderReference } from './reference/render.ts'

type Options = Pick<Config, 'publicUrl'>

/**
 * `/openapi.json`: the OpenAPI document of the whole platform. `/reference`: a page that shows it (specification
 * 4), rendered at the first request. Admission has checked the key. Both name the address of the service.
 */
export function addReferenceRoutes(routes: Routes, { publicUrl }: Options): void {
  const document = openApiDocument()
  const text = jsonLine(JSON.stringify(document))
  const base = basePath(publicUrl)
  let page: string | undefined

  routes.get('/openapi.json', (ctx: RouteContext) => {
    accountOf(ctx)
    ctx.status = 200
    ctx.type = 'application/json'
    const address = JSON.stringify(addressOf(ctx, publicUrl)).slice(1, -1)
    ctx.body = text.replaceAll(exampleAddress, () => address)
  })

  routes.get('/reference', (ctx: RouteContext) => {
    accountOf(ctx)
    page ??= referencePage(base, renderReference(document, { base, address: exampleAddress }))
    replyPage(ctx, withAddress(page, addressOf(ctx, publicUrl)), { fetches: true })
  })
}

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
