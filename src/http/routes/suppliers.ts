import * as v from 'valibot'
import { type SupplierOutcome, sealOutcome, withoutToken } from '../../suppliers/outcome.ts'
import { mayBeAuthentic, parsePush, verifyPush } from '../../suppliers/push.ts'
import { readBody } from '../body.ts'
import type { RouteContext, Routes } from '../context.ts'
import { refuse, refuseInvalid } from '../errors.ts'
import type { HttpMetrics } from '../metrics.ts'
import { pushRoute } from '../paths.ts'
import { supplierCode } from '../schemas.ts'
import { callPerPush, type PushRouteOptions, refuseCounted } from './supplier_pushes.ts'

const lookUpsAtOnce = 2
const pushesAtOnce = 4

type Push = { supplier: string; reference: string; outcome: SupplierOutcome }
type SupplierRouteOptions = PushRouteOptions & { metrics: Pick<HttpMetrics, 'endedOrder'> }

/**
 * The results that suppliers push, signed with their tokens. A good push is not counted against the rate limit, unless
 * the supplier repeats more than 60 a minute.
 */
export function addSupplierRoutes(routes: Routes, options: SupplierRouteOptions): void {
  const { db, config, sealing, admission, metrics } = options
  const findSigner = callPerPush(
    lookUpsAtOnce,
    async (supplier: string) => (await db.call('api.supplier_token', { supplier }))[0],
  )
  const record = callPerPush(
    pushesAtOnce,
    async ({ supplier, reference, outcome }: Push) => {
      const push = { supplier, item_id: reference, result: outcome }
      const [recorded] = await db.call('api.record_pushed_result', push)
      if (recorded === undefined) throw new Error('api.record_pushed_result returned no row')
      return recorded
    },
    { isBusy: ({ answer }) => answer === 'busy', keyOf: ({ reference }) => reference },
  )

  routes.post(pushRoute, async (ctx: RouteContext) => {
    const supplier = ctx.params.code ?? ''
    const signed = {
      timestamp: ctx.get('X-Supplier-Timestamp'),
      signature: ctx.get('X-Supplier-Signature'),
      now: new Date(),
    }
    const mayBeGood = v.is(supplierCode, supplier) && mayBeAuthentic(signed)
    const signer = mayBeGood ? await ctx.state.databaseTime(() => findSigner(supplier)) : undefined
    // The token of a supplier with another protocol signs no results.
    if (signer?.pushes_results === false) return refuseCounted(ctx, admission, 'NOT_FOUND')
    const token = signer && config.supplierCredential(signer.token)
    if (token === undefined) return refuseCounted(ctx, admission, 'BAD_SIGNATURE')
    const rawBody = await readBody(ctx)
    if (typeof rawBody === 'string') return refuseCounted(ctx, admission, rawBody)
    if (!verifyPush({ ...signed, token, rawBody, now: new Date() })) {
      return refuseCounted(ctx, admission, 'BAD_SIGNATURE')
    }

    const push = parsePush(rawBody)
    if (!push.ok && push.problem === 'malformed') return refuseInvalid(ctx, push.details)
    if (!push.ok) return refuse(ctx, 'UNKNOWN_REFERENCE')
    const { reference } = push
    const outcome = sealOutcome(withoutToken(push.outcome, token), reference, sealing)
    const recorded = await ctx.state.databaseTime(() => record({ supplier, reference, outcome }))
    const { answer, ended_outcome: ended, ended_seconds: seconds } = recorded
    if (ended !== null && seconds !== null) metrics.endedOrder(ended, seconds)
    if (answer === 'unknown_reference') return refuse(ctx, 'UNKNOWN_REFERENCE')
    if (answer === 'repeated_too_often' && !(await admission.count(ctx))) return
    ctx.status = 204
  })
}
