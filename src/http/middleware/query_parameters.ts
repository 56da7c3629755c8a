import { nearestName } from '../../messages/nearest_name.ts'
import type { Context, Next } from '../context.ts'
import { invalid } from '../errors.ts'
import {
  catalogQuery,
  eventsQuery,
  gamesQuery,
  ordersQuery,
  productsQuery,
  resultsQuery,
  transactionsQuery,
} from '../schemas.ts'

const longestName = 64

/** The parameters that the GET routes below /b2b take. The other routes take none. */
const schemas: { [pattern: string]: { entries: object } } = {
  '/b2b/catalog/games': gamesQuery,
  '/b2b/catalog/games/:slug/products': productsQuery,
  '/b2b/catalog/products': catalogQuery,
  '/b2b/orders': ordersQuery,
  '/b2b/events': eventsQuery,
  '/b2b/results': resultsQuery,
  '/b2b/balance/transactions': transactionsQuery,
}

/** Refuses a request below /b2b that has a query parameter which its route does not take. */
export async function rejectUnknownParameters(ctx: Context, next: Next): Promise<void> {
  const { pattern = '' } = ctx.state.route
  if (!pattern.startsWith('/b2b/') || ctx.querystring === '') return next()
  const known = ctx.method === 'POST' ? [] : Object.keys(schemas[pattern]?.entries ?? {})
  const given = new Set(new URLSearchParams(ctx.querystring).keys())
  const unknown = [...given].filter((name) => !known.includes(name))
  if (unknown.length === 0) return next()
  throw invalid(unknown.map((name) => ({ path: name.slice(0, longestName), message: messageFor(name, known) })))
}

function messageFor(name: string, known: string[]): string {
  const near = name.length > longestName ? undefined : nearestName(name, known)
  return near === undefined ? 'is not a known parameter' : `is not a known parameter: did you mean ${near}?`
}
