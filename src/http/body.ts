import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { koaBody } from 'koa-body'
import type { ParsedJson } from '../messages/json.ts'
import { jsonFault } from '../messages/json_fault.ts'
import { kindOf } from '../messages/kind_of.ts'
import type { Context } from './context.ts'
import { refuse, refuseInvalid } from './errors.ts'
import type { BodyFault } from './middleware/bodies.ts'

const parse = koaBody({ jsonStrict: false })

/** The bytes of a JSON body, or why there are none. */
export async function readBody(ctx: Context): Promise<Buffer | BodyFault | 'UNSUPPORTED_MEDIA_TYPE'> {
  const body = await ctx.state.readBody()
  return typeof body === 'string' || isPlainJson(ctx) ? body : 'UNSUPPORTED_MEDIA_TYPE'
}

/** Reads and parses a JSON body. If that fails, it answers the request and returns undefined. */
export async function readJson(ctx: Context): Promise<ParsedJson> {
  const body = await readBody(ctx)
  if (typeof body === 'string') return void refuse(ctx, body)
  const fault = await parseBody(ctx, body)
  if (fault === undefined) return { value: ctx.request.body }
  refuseInvalid(ctx, [{ path: '', message: `the body ${fault}` }])
  return undefined
}

/** Lets koa-body parse the bytes of a body into `ctx.request.body`. Returns what is wrong if they are no JSON object. */
async function parseBody(ctx: Context, body: Buffer): Promise<string | undefined> {
  // koa-body would replace bytes that are no UTF-8, and would take an empty body for an empty object.
  if (!isUtf8(body)) return 'must be JSON in UTF-8'
  if (body.length === 0) return jsonFault('')
  const req = Object.assign(Readable.from([body]), { headers: ctx.req.headers })
  try {
    await parse(Object.create(ctx, { req: { value: req } }), async () => {})
  } catch (error) {
    if (error instanceof SyntaxError) return jsonFault(body.toString())
    throw error
  }
  const kind = kindOf(ctx.request.body)
  return kind === 'an object' ? undefined : `must be an object; got ${kind}`
}

function isPlainJson(ctx: Context): boolean {
  const encoding = ctx.get('Content-Encoding') || 'identity'
  const charset = ctx.request.charset || 'utf-8'
  return encoding === 'identity' && Boolean(ctx.is('application/json')) && /^utf-?8$/i.test(charset)
}
