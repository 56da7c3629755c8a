import { readFileSync } from 'node:fs'
import type { RouteContext } from '../http/context.ts'
import { refuse } from '../http/errors.ts'
import { jsonLine } from '../http/reply.ts'
import { addressOf, exampleAddress, withAddress } from './address.ts'
import { type Asset, makeAsset, replyAsset } from './assets.ts'
import { guideFile } from './guide/files.ts'
import { guidePages } from './guide/pages.ts'
import { renderGuidePage } from './guide/render.ts'
import { searchedSections } from './guide/search.ts'
import { type SiteOptions, siteRoute } from './options.ts'
import { pageAnswer, replyPage } from './page.ts'

const method = 'get'
const access = 'password'

/** The guide for partners. */
export const guideRoutes = [
  siteRoute({
    method,
    path: '/docs',
    access,
    id: 'getGuide',
    tag: 'Documents',
    summary: 'Partner guide',
    description: 'The first page of the guide. The other pages and the files of programs are below this path.',
    answers: { 200: pageAnswer },
    keep: showPages,
    handle: (ctx, { show }) => show(ctx, '/docs'),
  }),
  siteRoute({
    method,
    path: '/docs/search.json',
    access,
    keep: ({ document }) => {
      let asset: Asset | undefined
      const index = () => jsonLine(JSON.stringify({ success: true, data: searchedSections(document) }))
      return { indexOnce: () => (asset ??= makeAsset(index(), 'application/json')) }
    },
    handle: (ctx, { indexOnce }) => {
      ctx.vary('Authorization')
      // A browser may keep it, but must ask with the password before each use.
      return replyAsset(ctx, indexOnce(), 'private, no-cache')
    },
  }),
  siteRoute({
    method,
    path: '/docs/:page',
    access,
    keep: showPages,
    handle: (ctx, { publicUrl, show }) => {
      const { page = '' } = ctx.params
      if (guideFile('', page) === undefined) show(ctx, `/docs/${page}`)
      else giveFile(ctx, publicUrl, '', page)
    },
  }),
  siteRoute({
    method,
    path: '/docs/:folder/:file',
    access,
    handle: (ctx, { publicUrl }) => giveFile(ctx, publicUrl, ctx.params.folder ?? '', ctx.params.file ?? ''),
  }),
]

/** Answers with pages of the guide. Each is rendered at its first request. */
function showPages({ base, document, publicUrl }: SiteOptions) {
  const rendered = new Map<string, string>()
  const show = (ctx: RouteContext, path: string) => {
    const page = guidePages.find((one) => one.path === path)
    if (page === undefined) return refuse(ctx, 'NOT_FOUND')
    const html = rendered.get(path) ?? renderGuidePage(base, document, page)
    rendered.set(path, html)
    replyPage(ctx, withAddress(html, addressOf(ctx, publicUrl)), { fetches: true })
  }
  return { show }
}

function giveFile(ctx: RouteContext, publicUrl: string | undefined, folder: string, name: string) {
  const path = guideFile(folder, name)
  if (path === undefined) return refuse(ctx, 'NOT_FOUND')
  const address = addressOf(ctx, publicUrl)
  const text = readFileSync(path, 'utf8').replaceAll(exampleAddress, () => address)
  replyPage(ctx, text)
  ctx.type = 'text/plain'
}
