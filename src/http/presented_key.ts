import type { Context } from './context.ts'

// What lies here, and below, is for those with a key; so is that there is nothing.
const keyedPaths = ['/b2b', '/simulation', '/reference', '/openapi.json']

// Taking 16 KB of parameters apart costs more than all else that is done for a request over its budget.
const maxQuery = 2_048

/** Whether a path is, or lies below, another. */
export function isUnder(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}/`)
}

/** Whether a request to this path needs an API key (specification 4 and 5). */
export function needsKey(path: string): boolean {
  return keyedPaths.some((keyed) => isUnder(path, keyed))
}

/**
 * The API key that a request presents; empty if it presents none. It stands in `X-Api-Key`, for `/reference` in the
 * query parameter `key` alone, for `/openapi.json` in either. A parameter that comes twice presents nothing, nor does a
 * query of more than 2,048 characters.
 */
export function presentedKey(ctx: Context): string {
  if (isUnder(ctx.path, '/reference')) return queryKey(ctx)
  const key = ctx.get('X-Api-Key')
  return key === '' && isUnder(ctx.path, '/openapi.json') ? queryKey(ctx) : key
}

function queryKey(ctx: Context): string {
  if (ctx.querystring.length > maxQuery) return ''
  const [key = '', ...others] = new URLSearchParams(ctx.querystring).getAll('key')
  return others.length === 0 ? key : ''
}
