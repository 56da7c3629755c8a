import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip as gzipCallback } from 'node:zlib'
import type { RouteContext } from '../http/context.ts'
import { refuse } from '../http/errors.ts'
import { siteRoute } from './options.ts'

/** A file for `replyAsset`. */
export type Asset = { type: string; etag: string; bytes: Buffer; gzipped?: Promise<Buffer> }

const gzip = promisify(gzipCallback)
const folder = join(import.meta.dirname, 'assets')
const types: { [extension: string]: string } = { '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml' }

/** The files that come from modules, by name. */
const modules: { [name: string]: string } = { 'minisearch.js': 'minisearch' }

/** The public files that the pages load. Each is read at its first request. */
export const assetRoutes = [
  siteRoute({
    method: 'get',
    path: '/assets/:file',
    access: 'none',
    keep: () => ({ names: [...readdirSync(folder), ...Object.keys(modules)], read: new Map<string, Asset>() }),
    handle: async (ctx, { names, read }) => {
      const name = ctx.params.file ?? ''
      if (!names.includes(name)) return refuse(ctx, 'NOT_FOUND')
      const asset = read.get(name) ?? readAsset(name)
      read.set(name, asset)
      await replyAsset(ctx, asset)
    },
  }),
]

function readAsset(name: string): Asset {
  const module = modules[name]
  const path = module === undefined ? join(folder, name) : fileURLToPath(import.meta.resolve(module))
  const type = types[extname(name)]
  if (type === undefined) throw new Error(`the type of ${name} is not known`)
  return makeAsset(readFileSync(path), type)
}

/** A file with its `ETag`. */
export function makeAsset(content: string | Buffer, type: string): Asset {
  const bytes = Buffer.from(content)
  // Weak: compressed and plain files have the same one.
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`
  return { type, etag, bytes }
}

/** Answers with an asset, or with 304 if the client has it. */
export async function replyAsset(ctx: RouteContext, asset: Asset, cacheControl = 'no-cache'): Promise<void> {
  ctx.status = 200
  ctx.set({ ETag: asset.etag, 'Cache-Control': cacheControl })
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
