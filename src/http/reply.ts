import { createHash } from 'node:crypto'
import { compactJson } from '../messages/json.ts'
import type { Context } from './context.ts'

/** Answers with success. `json` is the data as JSON text; only white space between its parts is left out. */
export function reply(ctx: Context, json: string, status = 200): void {
  ctx.status = status
  ctx.type = 'application/json'
  ctx.body = jsonLine(`{"success":true,"data":${compactJson(json)}}`)
}

/** JSON as every answer has it: with a newline at its end, for terminals. */
export function jsonLine(json: string): string {
  return `${json}\n`
}

/** As `reply`, with `Cache-Control: no-store`: for orders and balances. */
export function replyUnstored(ctx: Context, json: string, status = 200): void {
  ctx.set('Cache-Control', 'no-store')
  reply(ctx, json, status)
}

/** As `reply`, with an `ETag`; 304 where `If-None-Match` names it. */
export function replyCached(ctx: Context, json: string): void {
  const etag = `"${createHash('sha256').update(json).digest('base64url').slice(0, 27)}"`
  ctx.set({ ETag: etag, 'Cache-Control': 'private, no-cache', Vary: 'X-Api-Key' })
  if (names(ctx.get('If-None-Match'), etag)) ctx.status = 304
  else reply(ctx, json)
}

// Koa's own comparison gives way to `Cache-Control: no-cache`, which fetch adds to every conditional request.
function names(ifNoneMatch: string, etag: string): boolean {
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
