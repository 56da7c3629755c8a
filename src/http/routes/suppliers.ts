import * as v from 'valibot'
import { clock } from '../../clock.ts'
import { type BatchOptions, batch } from '../../database/batch.ts'
import { verify } from '../../messages/sign.ts'
import { owners } from '../../sealing/sealing.ts'
import { createAdapters } from '../../suppliers/adapters.ts'
import { type SupplierOutcome, sealOutcome, withoutToken } from '../../suppliers/outcome.ts'
import { mayBeAuthentic, parsePush } from '../../suppliers/push.ts'
import { readBody } from '../body.ts'
import type { Context, RouteContext, Routes } from '../context.ts'
import { databaseTimeMs } from '../database_time.ts'
import { type ErrorName, invalid, refuse } from '../errors.ts'
import type { Admission } from '../middleware/admission.ts'
import { eventRoute, pushRoute } from '../paths.ts'
import { supplierCode } from '../schemas.ts'
import type { RouteOptions } from './options.ts'

const lookUpsAtOnce = 2
const pushesAtOnce = 4
const eventsAtOnce = 2

type Push = { supplier: string; reference: string; outcome: SupplierOutcome }
type Event = { supplier: string; event_id: string; item_id: string }

/**
 * The results that suppliers push, signed with their tokens. A good push is not counted against the rate limit, unless
 * the supplier repeats more than 60 a minute.
 */
export function addResultPushes(routes: Routes, options: RouteOptions): void {
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
      now: clock.now(),
    }
    const mayBeGood = v.is(supplierCode, supplier) && mayBeAuthentic(signed)
    const signer = mayBeGood ? await ctx.state.databaseTime(() => findSigner(supplier)) : undefined
    // The token of a supplier with another protocol signs no results.
    if (signer?.pushes_results === false) return refuseCounted(ctx, admission, 'NOT_FOUND')
    const token = signer && config.supplierCredential(sealing.open(signer.token, owners.token(supplier)))
    if (token === undefined) return refuseCounted(ctx, admission, 'BAD_SIGNATURE')
    const rawBody = await readBody(ctx)
    if (typeof rawBody === 'string') return refuseCounted(ctx, admission, rawBody)
    if (!verify({ ...signed, secret: token, body: rawBody, now: clock.now() })) {
      return refuseCounted(ctx, admission, 'BAD_SIGNATURE')
    }

    const push = parsePush(rawBody)
    if (!push.ok && push.problem === 'malformed') throw invalid(push.details)
    if (!push.ok) return refuse(ctx, 'UNKNOWN_REFERENCE')
    const { reference } = push
    // guard: a pushed result is sealed
    const outcome = sealOutcome(withoutToken(push.outcome, token), reference, sealing)
    const recorded = await ctx.state.databaseTime(() => record({ supplier, reference, outcome }))
    const { answer, ended_outcome: ended, ended_seconds: seconds } = recorded
    if (ended !== null && seconds !== null) metrics.endedOrder(ended, seconds)
    if (answer === 'unknown_reference') return refuse(ctx, 'UNKNOWN_REFERENCE')
    if (answer === 'repeated_too_often' && !(await admission.count(ctx))) return
    ctx.status = 204
  })
}

/**
 * The events that suppliers push. The service does not believe an event: it asks the supplier now. An authentic event
 * gets 204 also if it is about no item of ours, because a supplier gives up a receiver that refuses often.
 */
export function addEventPushes(routes: Routes, { db, config, sealing, admission }: RouteOptions): void {
  const adapters = createAdapters()
  const findSecret = callPerPush(
    lookUpsAtOnce,
    async (supplier: string) => (await db.call('api.supplier_push_secret', { supplier }))[0],
  )
  const record = callPerPush(eventsAtOnce, (event: Event) => db.call('api.record_supplier_event', event))

  routes.post(eventRoute, async (ctx: RouteContext) => {
    const supplier = ctx.params.code ?? ''
    const isSupplier = v.is(supplierCode, supplier)
    const found = isSupplier ? await ctx.state.databaseTime(() => findSecret(supplier)) : undefined
    const stored = found?.push_secret ?? ''
    const secret = config.supplierCredential(sealing.open(stored, owners.pushSecret(supplier)))
    const readEvent = adapters.adapterFor(found?.protocol ?? '')?.readEvent
    if (!secret || !readEvent) return refuseCounted(ctx, admission, 'BAD_SIGNATURE')
    const rawBody = await readBody(ctx)
    if (typeof rawBody === 'string') return refuseCounted(ctx, admission, rawBody)
    const event = readEvent({ headers: ctx.req.headers, rawBody, secret, now: clock.now() })
    if (!event.ok && event.problem === 'bad_signature') return refuseCounted(ctx, admission, 'BAD_SIGNATURE')
    if (!event.ok && event.problem === 'malformed') return refuse(ctx, 'VALIDATION_ERROR')
    ctx.status = 204
    if (!event.ok) return
    const { eventId: event_id, reference: item_id } = event
    const answer = await ctx.state.databaseTime(() => record({ supplier, event_id, item_id }))
    // The supplier sends it again.
    if (answer === 'busy') refuse(ctx, 'UNAVAILABLE')
  })
}

/** Refuses a push that may come from anyone: unlike the push of a supplier, it counts against the rate limit. */
async function refuseCounted(ctx: Context, admission: Admission, error: ErrorName): Promise<void> {
  // An answer to too much work must not make more of it.
  if (error === 'UNAVAILABLE' || (await admission.count(ctx))) refuse(ctx, error)
}

/**
 * Makes a call to the database for each push, at most `inFlight` at once. Pushes are not counted before their sender is
 * known: this bounds what forged ones cost.
 */
function callPerPush<In, Out>(
  inFlight: number,
  call: (push: In) => Promise<Out>,
  options: Pick<BatchOptions<In, Out>, 'isBusy' | 'keyOf'> = {},
): (push: In) => Promise<Out> {
  return batch<In, Out>({
    run: (pushes) => Promise.all(pushes.map(call)),
    max: 1,
    inFlight,
    waitMs: databaseTimeMs,
    ...options,
  })
}
