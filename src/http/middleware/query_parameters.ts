import { nearestName } from '../../messages/nearest_name.ts'
import type { Context, Next } from '../context.ts'
import { invalid } from '../errors.ts'

const maxNameLength = 64

/** Refuses a request below /b2b that has a query parameter which its route does not declare. */
export async function rejectUnknownParameters(ctx: Context, next: Next): Promise<void> {
  const { access, parameters: known } = ctx.state.route
  if (!access.strictQuery || ctx.querystring === '') return next()
  const given = new Set(new URLSearchParams(ctx.querystring).keys())
  const unknown = [...given].filter((name) => !known.includes(name))
  if (unknown.length === 0) return next()
  throw invalid(unknown.map((name) => ({ path: name.slice(0, maxNameLength), message: messageFor(name, known) })))
}

function messageFor(name: string, known: readonly string[]): string {
  const near = name.length > maxNameLength ? undefined : nearestName(name, known)
  return near === undefined ? 'is not a known parameter' : `is not a known parameter: did you mean ${near}?`
}
