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
