import type { Config } from '../config.ts'
import { accountOf, type Middleware, type RouteContext, type Routes } from '../http/context.ts'
import { jsonLine } from '../http/reply.ts'
import { addressOf, exampleAddress, withAddress } from './address.ts'
import { openApiDocument } from './openapi/document.ts'
import { basePath, renderPage, replyPage, styleSheets } from './page.ts'
import { keyForm } from './reference/key_form.ts'
import { renderReference } from './reference/render.ts'

type Options = Pick<Config, 'publicUrl'>

/**
 * `/openapi.json`: the OpenAPI document of the whole platform. `/reference`: a page that renders it (specification 4), made
 * when it is first asked for. Admission has checked the key before either is reached.
 */
export function addReferenceRoutes(routes: Routes, { publicUrl }: Options): void {
  const document = openApiDocument(publicUrl)
  const text = jsonLine(JSON.stringify(document))
  const base = basePath(publicUrl)
  let page: string | undefined

  routes.get('/openapi.json', (ctx: RouteContext) => {
    accountOf(ctx)
    ctx.status = 200
    ctx.type = 'application/json'
    ctx.body = text
  })

  routes.get('/reference', (ctx: RouteContext) => {
    accountOf(ctx)
    page ??= pageOf(base, renderReference(document, { base, address: exampleAddress }))
    replyPage(ctx, withAddress(page, addressOf(ctx, publicUrl)))
  })
}

/** Says to a browser that comes to the reference without a valid key, in HTML, how to come in. */
export function answerReaders({ publicUrl }: Options): Middleware {
  const base = basePath(publicUrl)
  return async (ctx, next) => {
    await next()
    const isRefused = ctx.state.route.pattern === '/reference' && [401, 403].includes(ctx.status)
    if (!isRefused || ctx.accepts('json', 'html') !== 'html') return
    const { status } = ctx
    const page = pageOf(base, keyForm(base, String(ctx.body), ctx.query.key !== undefined))
    replyPage(ctx, page, { status, takesInput: true })
  }
}

const sheets = ['page.css', 'frame.css', 'code.css', 'reference.css', 'reference_parts.css', 'search.css']

// The first script stands alone: it takes the key out of the address bar before anything else is loaded.
function pageOf(base: string, body: string): string {
  return renderPage(base, {
    title: 'Supply ordering: API reference',
    head: `<script src="${base}/assets/reference_key.js"></script>
${styleSheets(base, sheets)}
<script type="module" src="${base}/assets/reference.js"></script>`,
    body,
  })
}
