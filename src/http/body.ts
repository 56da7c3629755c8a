import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'node:util'
import { koaBody } from 'koa-body'
import type { Context } from './context.ts'
import { type ErrorName, refuse } from './errors.ts'

/** The largest body that is read, in bytes. */
export const bodyLimit = 64 * 1024

/** A body that was read; or not, and the request is answered, or its client gone. */
export type ReadBody = { ok: true; bytes: Buffer } | { ok: false; error: ErrorName }

/** JSON that was parsed, or undefined where the bytes are no JSON in UTF-8. */
export type ParsedJson = { value: unknown } | undefined

/** The client went away before its request had come. */
export class ClientGone extends Error {
  override name = 'ClientGone'
}

// Of koa-body only the bounded reading is used. It is to give one character a byte, for signatures are made over the
// bytes, and only bytes show whether they are UTF-8.
const readText = koaBody({
  ...{ json: false, urlencoded: false, multipart: false, text: true, patchNode: false },
  ...{ textTypes: ['application/json'], textLimit: bodyLimit, encoding: 'binary' },
})

/**
 * Reads the body of a request as the bytes that came. Gives UNSUPPORTED_MEDIA_TYPE where it is not declared as plain
 * JSON in UTF-8, BODY_TOO_LARGE over 64 KiB, VALIDATION_ERROR where it is shorter than announced.
 * Throws ClientGone if the client hung up.
 */
export async function readBody(ctx: Context): Promise<ReadBody> {
  try {
    if (!isPlainJson(ctx)) {
      return { ok: false, error: (await isTooLarge(ctx.req)) ? 'BODY_TOO_LARGE' : 'UNSUPPORTED_MEDIA_TYPE' }
    }
    await readText(ctx as never, async () => {})
  } catch (error) {
    if (ctx.req.destroyed || ctx.req.errored) throw new ClientGone()
    // What is left of the body is read and forgotten, so that the client gets to see the answer.
    ctx.req.resume()
    return { ok: false, error: statusOf(error) === 413 ? 'BODY_TOO_LARGE' : 'VALIDATION_ERROR' }
  }
  const { body } = ctx.request
  return { ok: true, bytes: Buffer.from(typeof body === 'string' ? body : '', 'latin1') }
}

/** Parses JSON in UTF-8. */
function parseJson(bytes: Buffer): ParsedJson {
  if (!isUtf8(bytes)) return undefined
  try {
    return { value: JSON.parse(new TextDecoder().decode(bytes)) }
  } catch {
    return undefined
  }
}

/** Reads and parses a JSON body. Where that fails it answers the request and gives undefined; throws as `readBody`. */
export async function readJson(ctx: Context): Promise<ParsedJson> {
  const body = await readBody(ctx)
  const parsed = body.ok ? parseJson(body.bytes) : undefined
  if (parsed === undefined) refuseBody(ctx, body.ok ? 'VALIDATION_ERROR' : body.error)
  return parsed
}

/** Answers a request whose body could not be read. */
function refuseBody(ctx: Context, error: ErrorName): void {
  const details = [{ path: '', message: 'must be JSON in UTF-8' }]
  refuse(ctx, error, error === 'VALIDATION_ERROR' ? { details } : {})
}

// A body that nobody reads has its size in a header, or has to be counted.
async function isTooLarge(request: IncomingMessage): Promise<boolean> {
  let size = Number(request.headers['content-length'] ?? 0)
  if (request.headers['transfer-encoding'] !== undefined) {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length
      if (size > bodyLimit) break
    }
  }
  request.resume()
  return size > bodyLimit
}

function isPlainJson(ctx: Context): boolean {
  const encoding = ctx.get('Content-Encoding')
  if (encoding !== '' && encoding !== 'identity') return false
  const type = parseType(ctx.get('Content-Type'))
  const charset = type?.params.get('charset') ?? 'utf-8'
  return type?.essence === 'application/json' && /^utf-?8$/i.test(charset)
}

function parseType(text: string): MIMEType | undefined {
  try {
    return new MIMEType(text)
  } catch {
    return undefined
  }
}

function statusOf(error: unknown): unknown {
  return error instanceof Error && 'status' in error ? error.status : undefined
}
