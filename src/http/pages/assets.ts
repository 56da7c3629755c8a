import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip as gzipCallback } from 'node:zlib'
import type { RouteContext, Routes } from '../context.ts'
import { refuse } from '../errors.ts'

type Asset = { type: string; etag: string; bytes: Buffer; gzipped?: Promise<Buffer> }

const gzip = promisify(gzipCallback)
const ours = (name: string) => join(import.meta.dirname, 'assets', name)

/** What the pages load: by name, the file and its type. */
const files: { [name: string]: { path: string; type: string } } = {
  'guide.css': { path: ours('guide.css'), type: 'text/css' },
  'icon.svg': { path: ours('icon.svg'), type: 'image/svg+xml' },
  'reference.css': { path: ours('reference.css'), type: 'text/css' },
  'reference_parts.css': { path: ours('reference_parts.css'), type: 'text/css' },
  'reference.js': { path: ours('reference.js'), type: 'text/javascript' },
}

/** The files that the pages load, read when they are first asked for; nothing in them is secret. */
export function addAssetRoutes(routes: Routes): void {
  const read = new Map<string, Asset>()

  routes.get('/assets/:file', async (ctx: RouteContext) => {
    const name = ctx.params.file ?? ''
    const file = Object.hasOwn(files, name) ? files[name] : undefined
    if (file === undefined) return refuse(ctx, 'NOT_FOUND')
    const asset = read.get(name) ?? readAsset(file)
    read.set(name, asset)
    await replyAsset(ctx, asset)
  })
}

function readAsset({ path, type }: { path: string; type: string }): Asset {
  const bytes = readFileSync(path)
  // Weak, for it is the same whether the file is compressed on its way or not.
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`
  return { type, etag, bytes }
}

async function replyAsset(ctx: RouteContext, asset: Asset): Promise<void> {
  ctx.status = 200
  ctx.set({ ETag: asset.etag, 'Cache-Control': 'no-cache' })
  ctx.vary('Accept-Encoding')
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  ctx.type = asset.type
  if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    ctx.body = asset.bytes
    return
  }
  asset.gzipped ??= gzip(asset.bytes)
  ctx.set('Content-Encoding', 'gzip')
  ctx.body = await asset.gzipped
}
