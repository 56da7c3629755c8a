import { readFileSync } from 'node:fs'
import type { Config } from '../config.ts'
import type { RouteContext, Routes } from '../http/context.ts'
import { refuse } from '../http/errors.ts'
import { jsonLine } from '../http/reply.ts'
import { addressOf, exampleAddress, withAddress } from './address.ts'
import { type Asset, makeAsset, replyAsset } from './assets.ts'
import { guideFile } from './guide/files.ts'
import { guidePages } from './guide/pages.ts'
import { renderGuidePage } from './guide/render.ts'
import { searchedSections } from './guide/search.ts'
import { basePath, replyPage } from './page.ts'

/** The guide for partners. Each page is rendered at its first request. */
export function addGuideRoutes(routes: Routes, { publicUrl }: Pick<Config, 'publicUrl'>): void {
  const base = basePath(publicUrl)
  const rendered = new Map<string, string>()
  const show = (ctx: RouteContext, path: string) => {
    const page = guidePages.find((one) => one.path === path)
    if (page === undefined) return refuse(ctx, 'NOT_FOUND')
    const html = rendered.get(path) ?? renderGuidePage(base, page)
    rendered.set(path, html)
    replyPage(ctx, withAddress(html, addressOf(ctx, publicUrl)), { fetches: true })
  }
  const giveFile = (ctx: RouteContext, folder: string, name: string) => {
    const path = guideFile(folder, name)
    if (path === undefined) return refuse(ctx, 'NOT_FOUND')
    const address = addressOf(ctx, publicUrl)
    replyPage(
      ctx,
      readFileSync(path, 'utf8').replaceAll(exampleAddress, () => address),
    )
    ctx.type = 'text/plain'
  }
  let searched: Asset | undefined
  routes.get('/docs/search.json', (ctx: RouteContext) => {
    searched ??= makeAsset(jsonLine(JSON.stringify({ success: true, data: searchedSections() })), 'application/json')
    ctx.vary('Authorization')
    // A browser may keep it, but must ask with the password before each use.
    return replyAsset(ctx, searched, 'private, no-cache')
  })
  routes.get('/docs', (ctx: RouteContext) => show(ctx, '/docs'))
  routes.get('/docs/:page', (ctx: RouteContext) => {
    const { page = '' } = ctx.params
    if (guideFile('', page) === undefined) show(ctx, `/docs/${page}`)
    else giveFile(ctx, '', page)
  })
  routes.get('/docs/:folder/:file', (ctx: RouteContext) => {
    giveFile(ctx, ctx.params.folder ?? '', ctx.params.file ?? '')
  })
}
