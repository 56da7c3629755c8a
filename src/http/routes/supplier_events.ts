import * as v from 'valibot'
import { createAdapters } from '../../suppliers/adapters.ts'
import { readBody } from '../body.ts'
import type { RouteContext, Routes } from '../context.ts'
import { refuse } from '../errors.ts'
import { eventRoute } from '../paths.ts'
import { supplierCode } from '../schemas.ts'
import { callPerPush, type PushRouteOptions, refuseCounted } from './supplier_pushes.ts'

const lookUpsAtOnce = 2
const eventsAtOnce = 2

type Event = { supplier: string; event_id: string; item_id: string }

/**
 * The events that suppliers push. The service does not believe an event: it asks the supplier now. An authentic event
 * gets 204 also if it is about no item of ours, because a supplier gives up a receiver that refuses often.
 */
export function addSupplierEventRoutes(routes: Routes, { db, config, admission }: PushRouteOptions): void {
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
    const secret = config.supplierCredential(found?.push_secret ?? '')
    const readEvent = adapters.adapterFor(found?.protocol ?? '')?.readEvent
    if (!secret || !readEvent) return refuseCounted(ctx, admission, 'BAD_SIGNATURE')
    const rawBody = await readBody(ctx)
    if (typeof rawBody === 'string') return refuseCounted(ctx, admission, rawBody)
    const event = readEvent({ headers: ctx.req.headers, rawBody, secret, now: new Date() })
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
