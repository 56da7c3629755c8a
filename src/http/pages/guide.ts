import { createHash, timingSafeEqual } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Context, Middleware, RouteContext, Routes } from '../context.ts'
import { refuse } from '../errors.ts'
import { rulesFor } from '../paths.ts'
import { addressOf, exampleAddress } from './address.ts'
import { renderMarkdown } from './markdown.ts'
import { basePath, escapeHtml, renderPage, replyPage } from './page.ts'

const folder = join(import.meta.dirname, '../../../docs')

/** The pages of the guide, each made of a file. */
const pages = [
  { path: '/docs', file: 'guide.md', label: 'Guide' },
  { path: '/docs/webhooks', file: 'webhooks.md', label: 'Webhooks' },
] as const
type GuidePage = (typeof pages)[number]

/** The guide for partners, rendered once. Throws if a link in it leads nowhere. */
export function addGuideRoutes(routes: Routes, { publicUrl }: Pick<Config, 'publicUrl'>): void {
  const base = basePath(publicUrl)
  for (const page of pages) {
    const html = guidePage(base, page)
    routes.get(page.path, (ctx: RouteContext) => {
      replyPage(ctx, html.replaceAll(exampleAddress, escapeHtml(addressOf(ctx, publicUrl))))
    })
  }

  routes.get('/docs/verify/:file', (ctx: RouteContext) => {
    const name = ctx.params.file ?? ''
    if (!verifiers().includes(name)) return refuse(ctx, 'NOT_FOUND')
    replyPage(ctx, readFileSync(join(folder, 'verify', name), 'utf8'))
    ctx.type = 'text/plain'
  })
}

/**
 * Lets in only requests with the password of the guide, under any user name (HTTP Basic, compared in constant time).
 * Where no password is set it lets in none.
 */
export function guardGuide(password: string | undefined): Middleware {
  return async (ctx, next) => {
    if (!rulesFor(ctx.path).password) return next()
    const given = givenPassword(ctx)
    if (password !== undefined && given !== undefined && sameText(given, password)) return next()
    ctx.set('WWW-Authenticate', 'Basic realm="guide for partners", charset="UTF-8"')
    refuse(ctx, 'DOCS_PASSWORD')
  }
}

function givenPassword(ctx: Context): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(ctx.get('Authorization'))?.[1]
  if (encoded === undefined) return undefined
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? []
  return password
}

// Digests have one length, so that the time of the comparison does not show the length of the password.
function sameText(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(one), digest(other))
}

function verifiers(): string[] {
  return readdirSync(join(folder, 'verify'))
}

function guidePage(base: string, page: GuidePage): string {
  const markdown = readFileSync(join(folder, page.file), 'utf8')
  const { html, headings } = renderMarkdown(markdown, (target) => addressIn(base, target))
  const [title] = headings
  const links = pages.map(
    ({ path, label }) =>
      `<a href="${base}${path}"${path === page.path ? ' aria-current="page"' : ''}>${label}</a>`,
  )
  links.push(`<a href="${base}/reference">Reference</a>`)
  const contents = headings
    .filter(({ depth }) => depth === 2 || depth === 3)
    .map(({ id, depth, text }) => `<li class="level-${depth}"><a href="#${id}">${text}</a></li>`)
  return renderPage(base, {
    title: `Supply ordering: ${title?.text ?? page.label}`,
    head: `<link rel="stylesheet" href="${base}/assets/guide.css">`,
    body: `<a class="skip" href="#content">Skip to the text</a>
<header class="site"><a class="name" href="${base}/docs">Supply ordering</a><nav aria-label="Pages">${links.join('')}</nav></header>
<div class="columns">
<nav class="contents" aria-label="Contents"><ul>
${contents.join('\n')}
</ul></nav>
<main class="text" id="content">
${html}</main>
</div>`,
  })
}

/** The address of what a link in the Markdown names: another page, a file of the kit, or something elsewhere. */
function addressIn(base: string, target: string): string {
  if (target.startsWith('https://')) return target
  const [file = '', fragment] = target.split('#')
  const page = pages.find((one) => one.file === file)
  const anchor = fragment === undefined ? '' : `#${fragment}`
  if (page !== undefined) return `${base}${page.path}${anchor}`
  const [, verifier = ''] = /^verify\/(.+)$/.exec(file) ?? []
  if (verifiers().includes(verifier)) return `${base}/docs/verify/${verifier}`
  throw new Error(`a link in the guide leads nowhere: ${target}`)
}
