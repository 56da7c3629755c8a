import { type BodyError, refuseBody } from '../body.ts'
import type { Context } from '../context.ts'
import { refuse } from '../errors.ts'
import type { Admission } from '../middleware/admission.ts'

/** Refuses what is not known to come from a supplier: unlike what suppliers push, it counts against the rate limit. */
export async function refuseCounted(
  ctx: Context,
  admission: Admission,
  error: BodyError | 'BAD_SIGNATURE' | 'NOT_FOUND',
): Promise<void> {
  ctx.state.body.discard()
  // What is said about too much work must not make more of it.
  if (error === 'UNAVAILABLE') return refuseBody(ctx, error)
  if (!(await admission.count(ctx))) return
  if (error === 'BAD_SIGNATURE' || error === 'NOT_FOUND') refuse(ctx, error)
  else refuseBody(ctx, error)
}

const maxPushes = 6_000

/**
 * Counts the authentic pushes of each supplier at this process. Above 6,000 in a minute it says true: further ones count
 * against the rate limit of their address.
 */
export function createPushCount(now = () => Date.now()): (supplier: string) => boolean {
  let minute = 0
  const counts = new Map<string, number>()
  return (supplier) => {
    const present = Math.floor(now() / 60_000)
    if (present !== minute) counts.clear()
    minute = present
    const count = (counts.get(supplier) ?? 0) + 1
    counts.set(supplier, count)
    return count > maxPushes
  }
}
