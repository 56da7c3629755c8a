import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { koaBody } from 'koa-body'
import type * as v from 'valibot'
import { jsonFault } from '../messages/json_fault.ts'
import { kindOf } from '../messages/kind_of.ts'
import type { Context } from './context.ts'
import { Refusal } from './errors.ts'
import type { BodyFault } from './middleware/bodies.ts'
import { invalid, valid } from './validate.ts'

const parse = koaBody({ jsonStrict: false })

/** The bytes of a JSON body, or why there are none. */
export async function readBody(ctx: Context): Promise<Buffer | BodyFault | 'UNSUPPORTED_MEDIA_TYPE'> {
  const body = await ctx.state.readBody()
  return typeof body === 'string' || isPlainJson(ctx) ? body : 'UNSUPPORTED_MEDIA_TYPE'
}

/** Reads a JSON body by a schema. Throws the error of a body that is none, or that does not fit. */
export async function readJson<Schema extends v.GenericSchema>(
  ctx: Context,
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  return valid(schema, await readObject(ctx))
}

/** Reads the JSON object of a body. Throws the error of a body that is none. */
export async function readObject(ctx: Context): Promise<unknown> {
  const body = await readBody(ctx)
  if (typeof body === 'string') throw new Refusal(body)
  const fault = await parseBody(ctx, body)
  if (fault !== undefined) throw invalid([{ path: '', message: `the body ${fault}` }])
  return ctx.request.body
}

/**
 * Lets koa-body parse the bytes of a body into `ctx.request.body`. Returns what is wrong if they are no JSON object.
 */
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
