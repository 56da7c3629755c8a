import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { MIMEType } from 'node:util'
import { koaBody } from 'koa-body'
import type { ParsedJson } from '../messages/json.ts'
import { jsonFault } from '../messages/json_fault.ts'
import { kindOf } from '../messages/kind_of.ts'
import type { Context } from './context.ts'
import { refuse, refuseAsTooSlow, refuseAsUnavailable, refuseForNow, unavailableFor } from './errors.ts'
import { type BodyFault, bodyLimit } from './middleware/bodies.ts'

/** Why there is no body. */
export type BodyError = BodyFault | 'UNSUPPORTED_MEDIA_TYPE'

const parse = koaBody({
  jsonTypes: ['application/json'],
  jsonLimit: bodyLimit,
  jsonStrict: false,
  urlencoded: false,
  text: false,
})

/** Whether the request says that it has a body. */
export function hasBody(ctx: Context): boolean {
  return isChunked(ctx) || lengthOf(ctx) > 0
}

/**
 * Reads the body of a request as the bytes that arrived, or returns why there is none. Throws ClientGone if the client
 * hung up.
 */
export async function readBody(ctx: Context): Promise<Buffer | BodyError> {
  const isJson = isPlainJson(ctx)
  // How large chunks are together is known only when they have arrived.
  if (!isJson && !isChunked(ctx) && lengthOf(ctx) <= bodyLimit) {
    return 'UNSUPPORTED_MEDIA_TYPE'
  }
  const body = await ctx.state.body.read()
  return isJson || typeof body === 'string' ? body : 'UNSUPPORTED_MEDIA_TYPE'
}

/** Reads and parses a JSON body. If that fails, it answers the request and returns undefined. Throws as `readBody`. */
export async function readJson(ctx: Context): Promise<ParsedJson> {
  const body = await readBody(ctx)
  if (typeof body === 'string') return void refuseBody(ctx, body)
  const fault = await faultOf(ctx, body)
  if (fault === undefined) return { value: ctx.request.body }
  refuse(ctx, 'VALIDATION_ERROR', { details: [{ path: '', message: `the body ${fault}` }] })
  return undefined
}

/** What is wrong with a body that has arrived; undefined if koa-body has parsed it as an object. */
async function faultOf(ctx: Context, body: Buffer): Promise<string | undefined> {
  // koa-body would replace bytes that are no UTF-8, and it takes an empty body for an empty object.
  if (!isUtf8(body)) return 'must be JSON in UTF-8'
  if (body.length === 0 || !(await isParsable(ctx, body))) return jsonFault(body.toString())
  const value: unknown = ctx.request.body
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return undefined
  return `must be an object; got ${kindOf(value)}`
}

/** Has koa-body parse bytes that have arrived: it reads them in the place of the request's own stream. */
async function isParsable(ctx: Context, body: Buffer): Promise<boolean> {
  const req = Object.assign(Readable.from([body]), { headers: ctx.req.headers })
  try {
    await parse(Object.create(ctx, { req: { value: req } }), async () => {})
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

function isChunked({ req }: Context): boolean {
  return req.headers['transfer-encoding'] !== undefined
}

// Koa's `ctx.length` is that of the response.
function lengthOf({ req }: Context): number {
  return Number(req.headers['content-length'] ?? 0)
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
  try {
    const { essence, params } = new MIMEType(ctx.get('Content-Type'))
    return essence === 'application/json' && /^utf-?8$/i.test(params.get('charset') ?? 'utf-8')
  } catch {
    return false
  }
}
