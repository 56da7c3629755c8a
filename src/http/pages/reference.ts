import type { Config } from '../../config.ts'
import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { openApiDocument } from '../openapi/document.ts'
import { jsonLine } from '../reply.ts'
import { basePath, renderPage, replyPage } from './page.ts'

/**
 * `/openapi.json`: the OpenAPI document of the whole platform. `/reference`: a page that renders it (specification 4).
 * Admission has checked the key before either is reached.
 */
export function addReferenceRoutes(routes: Routes, { publicUrl }: Pick<Config, 'publicUrl'>): void {
  const document = JSON.stringify(openApiDocument(publicUrl))
  const page = referencePage(basePath(publicUrl), document)

  routes.get('/openapi.json', (ctx: RouteContext) => {
    accountOf(ctx)
    ctx.status = 200
    ctx.type = 'application/json'
    ctx.body = jsonLine(document)
  })

  routes.get('/reference', (ctx: RouteContext) => {
    accountOf(ctx)
    replyPage(ctx, page)
  })
}

// The page holds the document, so that no second request needs the key: reference.js takes it out of the address bar
// before anything else is loaded.
function referencePage(base: string, document: string): string {
  return renderPage(base, {
    title: 'Supply ordering: API reference',
    head: `<script src="${base}/assets/reference.js"></script>
<link rel="stylesheet" href="${base}/assets/swagger-ui.css">
<link rel="stylesheet" href="${base}/assets/reference.css">
<script src="${base}/assets/swagger-ui-bundle.js" defer></script>`,
    body: `<main id="reference"><noscript><p>This page needs JavaScript. What it shows is /openapi.json.</p></noscript></main>
<script type="application/json" id="document">${document.replaceAll('<', '\\u003c')}</script>`,
  })
}
