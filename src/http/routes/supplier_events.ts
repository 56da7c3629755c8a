import * as v from 'valibot'
import type { Config } from '../../config.ts'
import { batch } from '../../database/batch.ts'
import type { Database, Functions } from '../../database/client.ts'
import type { SupplierAdapters } from '../../suppliers/adapters.ts'
import { readBody } from '../body.ts'
import type { RouteContext, Routes } from '../context.ts'
import { databaseTimeMs } from '../database_time.ts'
import { refuse, refuseAsUnavailable } from '../errors.ts'
import type { Admission } from '../middleware/admission.ts'
import { eventRoute } from '../paths.ts'
import { supplierCode } from '../schemas.ts'
import { createPushCount, refuseCounted } from './supplier_refusals.ts'

// Events are not counted before it is known who sent them: this bounds what forged ones cost the database.
const lookUpsAtOnce = 2
const eventsAtOnce = 2

type PushSecret = Functions['api.supplier_push_secret']['result'][number]
type Event = { supplier: string; eventId: string; reference: string }

/**
 * The events that suppliers push. What an event says is not believed: it is a reason to ask the supplier now. An
 * authentic one is answered with 204 also where it is about nothing of ours, for a supplier gives up a receiver that
 * refuses often.
 */
export function addSupplierEventRoutes(
  routes: Routes,
  {
    db,
    config: { supplierCredential },
    admission,
    adapters,
  }: {
    db: Database
    config: Pick<Config, 'supplierCredential'>
    admission: Admission
    adapters: SupplierAdapters
  },
): void {
  const lookUp = batch<string, PushSecret | undefined>({
    run: async ([supplier = '']) =>
      new Map([[0, (await db.call('api.supplier_push_secret', { supplier }))[0]]]),
    max: 1,
    inFlight: lookUpsAtOnce,
    waitMs: databaseTimeMs,
  })
  const record = batch<Event, string | null>({
    run: async ([event]) => {
      if (event === undefined) return new Map()
      const { supplier, eventId: event_id, reference: item_id } = event
      return new Map([[0, await db.call('api.record_supplier_event', { supplier, event_id, item_id })]])
    },
    max: 1,
    inFlight: eventsAtOnce,
    waitMs: databaseTimeMs,
  })

  async function readerFor(ctx: RouteContext, supplier: string) {
    if (!v.is(supplierCode, supplier)) return undefined
    const found = await ctx.state.databaseTime(() => lookUp(supplier))
    const secret = supplierCredential(found?.push_secret ?? '')
    const readEvent = adapters.adapterFor(found?.protocol ?? '')?.readEvent
    return secret && readEvent ? { secret, readEvent } : undefined
  }

  const isMany = createPushCount()
  routes.post(eventRoute, async (ctx: RouteContext) => {
    const supplier = ctx.params.code ?? ''
    const reader = await readerFor(ctx, supplier)
    if (reader === undefined) return refuseCounted(ctx, admission, 'BAD_SIGNATURE')
    const body = await readBody(ctx)
    if (typeof body === 'string') return refuseCounted(ctx, admission, body)
    const { secret, readEvent } = reader
    const event = readEvent({ headers: ctx.req.headers, rawBody: body, secret, now: new Date() })
    if (!event.ok && event.problem === 'bad_signature') return refuseCounted(ctx, admission, 'BAD_SIGNATURE')
    if (!event.ok && event.problem === 'malformed') return refuse(ctx, 'VALIDATION_ERROR')
    if (isMany(supplier) && !(await admission.count(ctx))) return
    ctx.status = 204
    if (!event.ok) return
    const { eventId, reference } = event
    const answer = await ctx.state.databaseTime(() => record({ supplier, eventId, reference }))
    // The supplier sends it again.
    if (answer === 'busy') refuseAsUnavailable(ctx)
  })
}
