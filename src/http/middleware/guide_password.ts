import { isSameSecret } from '../../messages/sign.ts'
import type { Context, Middleware } from '../context.ts'
import { refuse } from '../errors.ts'

/**
 * Lets in only requests with the password of the guide and any user name (HTTP Basic, compared in constant time).
 * Without a configured password it refuses all.
 */
export function guardGuide(password: string | undefined): Middleware {
  return async (ctx, next) => {
    if (!ctx.state.route.access.password) return next()
    const given = givenPassword(ctx)
    if (password !== undefined && given !== undefined && isSameSecret(given, password)) return next()
    ctx.set('WWW-Authenticate', 'Basic realm="guide for partners", charset="UTF-8"')
    refuse(ctx, 'DOCS_PASSWORD')
  }
}

function givenPassword(ctx: Context): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(ctx.get('Authorization'))?.[1]
  if (encoded === undefined) return undefined
  const [, password] = /^[^:]*:(.*)$/s.exec(Buffer.from(encoded, 'base64').toString('utf8')) ?? []
  return password
}
