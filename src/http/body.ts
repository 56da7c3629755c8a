import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { koaBody } from 'koa-body'
import { jsonFault } from '../messages/json_fault.ts'
import { kindOf } from '../messages/kind_of.ts'
import type { BodyFault, Context } from './context.ts'
import { invalid, Refusal } from './errors.ts'

const parse = koaBody({ jsonStrict: false })

/** The bytes of a JSON body, or why there are none. */
export async function readBody(ctx: Context): Promise<Buffer | BodyFault | 'UNSUPPORTED_MEDIA_TYPE'> {
  const body = await ctx.state.readBody()
  return typeof body === 'string' || isPlainJson(ctx) ? body : 'UNSUPPORTED_MEDIA_TYPE'
}

/** Reads the JSON object of a body, which koa-body parses. Throws the error of a body that is none. */
export async function readObject(ctx: Context): Promise<unknown> {
  const body = await readBody(ctx)
  if (typeof body === 'string') throw new Refusal(body)
  const faulty = (why: string) => invalid([{ path: '', message: `the body ${why}` }])
  // koa-body would replace bytes that are no UTF-8, and would take an empty body for an empty object.
  if (!isUtf8(body)) throw faulty('must be JSON in UTF-8')
  if (body.length === 0) throw faulty(jsonFault(''))
  const req = Object.assign(Readable.from([body]), { headers: ctx.req.headers })
  try {
    await parse(Object.create(ctx, { req: { value: req } }), async () => {})
  } catch (error) {
    throw error instanceof SyntaxError ? faulty(jsonFault(body.toString())) : error
  }
  const kind = kindOf(ctx.request.body)
  if (kind !== 'an object') throw faulty(`must be an object; got ${kind}`)
  return ctx.request.body
}

/** Whether the request has a body. */
export function hasBody({ req }: Context): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0
}

function isPlainJson(ctx: Context): boolean {
  const encoding = ctx.get('Content-Encoding') || 'identity'
  return encoding === 'identity' && Boolean(ctx.is('application/json')) && /^(utf-?8)?$/i.test(ctx.request.charset)
}
