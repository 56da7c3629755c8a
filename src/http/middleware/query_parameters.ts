import type { Context, Next } from '../context.ts'
import { refuseInvalid } from '../errors.ts'
import { gamesQuery, ordersQuery, productsQuery, resultsQuery, transactionsQuery } from '../schemas.ts'

const longestName = 64

/** The parameters that the GET routes below /b2b take. The other routes take none. */
const schemas: { [pattern: string]: { entries: object } } = {
  '/b2b/catalog/games': gamesQuery,
  '/b2b/catalog/games/:slug/products': productsQuery,
  '/b2b/orders': ordersQuery,
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
  refuseInvalid(
    ctx,
    unknown.map((name) => ({ path: name.slice(0, longestName), message: messageFor(name, known) })),
  )
}

function messageFor(name: string, known: string[]): string {
  const near = name.length > longestName ? undefined : nearest(name, known)
  return near === undefined ? 'is not a known parameter' : `is not a known parameter: did you mean ${near}?`
}

/** The known name that a misspelled one means: at most two letters differ, or one name ends with the other. */
function nearest(name: string, known: string[]): string | undefined {
  const plain = plainName(name)
  const distances = known.map((candidate) => ({
    candidate,
    distance: distanceOf(plain, plainName(candidate)),
  }))
  const [closest] = distances.sort((a, b) => a.distance - b.distance)
  if (closest !== undefined && closest.distance <= Math.min(2, plain.length / 3)) return closest.candidate
  return plain.length < 2 ? undefined : known.find((candidate) => plainName(candidate).endsWith(plain))
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** How many letters must be added, removed or replaced to turn one text into another. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (const [place, wanted] of [...other].entries()) {
      const replaced = (row[place] ?? 0) + (letter === wanted ? 0 : 1)
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
