import { MIMEType } from 'node:util'
import { type ParsedJson, parseJson } from '../messages/json.ts'
import type { Context } from './context.ts'
import { refuse, refuseAsTooSlow, refuseAsUnavailable, refuseForNow, unavailableFor } from './errors.ts'
import { bodyLimit, type ReceivedBody } from './middleware/incoming_body.ts'

/** The body of a request; or why there is none. */
export type ReadBody = ReceivedBody | { ok: false; error: 'UNSUPPORTED_MEDIA_TYPE' }
export type BodyError = Extract<ReadBody, { ok: false }>['error']

/**
 * Reads the body of a request as the bytes that came. Returns UNSUPPORTED_MEDIA_TYPE where it is not declared as plain
 * JSON in UTF-8, BODY_TOO_LARGE over 64 KiB, REQUEST_TIMEOUT where it comes too slowly, RATE_LIMITED or UNAVAILABLE
 * where its client has, or the process holds, too many. Throws ClientGone if the client hung up.
 */
export async function readBody(ctx: Context): Promise<ReadBody> {
  const isJson = isPlainJson(ctx)
  const { 'content-length': length = '0', 'transfer-encoding': coding } = ctx.req.headers
  // How large chunks are together is seen only when they have come.
  if (!isJson && coding === undefined && Number(length) <= bodyLimit) return unsupported
  const body = await ctx.state.body.read()
  return isJson || !body.ok ? body : unsupported
}

const unsupported: ReadBody = { ok: false, error: 'UNSUPPORTED_MEDIA_TYPE' }

/** Reads and parses a JSON body. Where that fails it answers the request and returns undefined; throws as `readBody`. */
export async function readJson(ctx: Context): Promise<ParsedJson> {
  const body = await readBody(ctx)
  if (!body.ok) {
    refuseBody(ctx, body.error)
    return undefined
  }
  const parsed = parseJson(body.bytes)
  if (parsed === undefined) {
    refuse(ctx, 'VALIDATION_ERROR', { details: [{ path: '', message: 'must be JSON in UTF-8' }] })
  }
  return parsed
}

/** Answers a request whose body could not be read. */
export function refuseBody(ctx: Context, error: BodyError): void {
  if (error === 'RATE_LIMITED') refuseForNow(ctx, unavailableFor)
  else if (error === 'UNAVAILABLE') refuseAsUnavailable(ctx)
  else if (error === 'REQUEST_TIMEOUT') refuseAsTooSlow(ctx)
  else refuse(ctx, error)
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
