import type { Context } from '../context.ts'

// Taking 16 KB of parameters apart costs more than all else that is done for a request over its budget.
const maxQuery = 2_048

/**
 * The API key that a request presents; empty if it presents none. It stands in `X-Api-Key`, or where the route
 * allows it in the query parameter `key`. A parameter that comes twice presents nothing, nor does a
 * query of more than 2,048 characters.
 */
export function presentedKey(ctx: Context): string {
  const place = ctx.state.route.access.key ?? 'header'
  const inHeader = place === 'query' ? '' : ctx.get('X-Api-Key')
  return inHeader === '' && place !== 'header' ? queryKey(ctx) : inHeader
}

function queryKey(ctx: Context): string {
  if (ctx.querystring.length > maxQuery) return ''
  const [key = '', ...others] = new URLSearchParams(ctx.querystring).getAll('key')
  return others.length === 0 ? key : ''
}
