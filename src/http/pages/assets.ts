import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { gzip as gzipCallback } from 'node:zlib'
import type { RouteContext, Routes } from '../context.ts'
import { refuse } from '../errors.ts'

type Asset = { type: string; etag: string; bytes: Buffer; gzipped?: Promise<Buffer> }

const gzip = promisify(gzipCallback)
const folder = join(import.meta.dirname, 'assets')
const types: { [extension: string]: string } = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
}

/** The files that the pages load, read when they are first asked for; nothing in them is secret. */
export function addAssetRoutes(routes: Routes): void {
  const names = readdirSync(folder)
  const read = new Map<string, Asset>()

  routes.get('/assets/:file', async (ctx: RouteContext) => {
    const name = ctx.params.file ?? ''
    if (!names.includes(name)) return refuse(ctx, 'NOT_FOUND')
    const asset = read.get(name) ?? readAsset(name)
    read.set(name, asset)
    await replyAsset(ctx, asset)
  })
}

function readAsset(name: string): Asset {
  const bytes = readFileSync(join(folder, name))
  const type = types[extname(name)]
  if (type === undefined) throw new Error(`the type of ${name} is not known`)
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
