import * as v from 'valibot'
import type { Config } from '../../config.ts'
import { batch } from '../../database/batch.ts'
import type { Database, Functions } from '../../database/client.ts'
import { type SupplierOutcome, withoutToken } from '../../suppliers/outcome.ts'
import { mayBeAuthentic, parsePush, verifyPush } from '../../suppliers/push.ts'
import { readBody } from '../body.ts'
import type { Context, RouteContext, Routes } from '../context.ts'
import { databaseTimeMs } from '../database_time.ts'
import { refuse, refuseInvalid } from '../errors.ts'
import type { HttpMetrics } from '../metrics.ts'
import type { Admission } from '../middleware/admission.ts'
import { pushRoute } from '../paths.ts'
import { supplierCode } from '../schemas.ts'
import { createPushCount, refuseCounted } from './supplier_refusals.ts'

// Pushes are not counted before their signature is known: this bounds what forged ones cost the database.
const lookUpsAtOnce = 2
const pushesAtOnce = 4

type Signer = Functions['api.supplier_token']['result'][number]
type Push = { supplier: string; reference: string; outcome: SupplierOutcome }
type Recorded = Functions['api.record_pushed_result']['result'][number]
type RecordPush = (push: Push) => Promise<Recorded>

/**
 * The results that suppliers push, signed with their tokens. A good push is not counted against the rate limit, unless
 * the supplier repeats more than 60 a minute.
 */
export function addSupplierRoutes(
  routes: Routes,
  {
    db,
    config: { supplierCredential },
    admission,
    metrics,
  }: {
    db: Database
    config: Pick<Config, 'supplierCredential'>
    admission: Admission
    metrics: Pick<HttpMetrics, 'endedOrder'>
  },
): void {
  const lookUp = batch<string, Signer | undefined>({
    run: async ([supplier = '']) => new Map([[0, (await db.call('api.supplier_token', { supplier }))[0]]]),
    max: 1,
    inFlight: lookUpsAtOnce,
    waitMs: databaseTimeMs,
  })

  // Each is a statement of its own. One that needs a locked row goes back to the queue, and keeps no connection.
  const record = batch<Push, Recorded>({
    run: async ([push]) => {
      if (push === undefined) return new Map()
      const { supplier, reference: item_id, outcome: result } = push
      const [recorded] = await db.call('api.record_pushed_result', { supplier, item_id, result })
      return recorded === undefined ? new Map() : new Map([[0, recorded]])
    },
    isBusy: ({ answer }) => answer === 'busy',
    keyOf: ({ reference }) => reference,
    max: 1,
    inFlight: pushesAtOnce,
    waitMs: databaseTimeMs,
  })

  /** Who must have signed a push; undefined if its headers alone show that nobody did, or if there is no such supplier. */
  async function signerOf(ctx: Context, supplier: string): Promise<Signer | undefined> {
    if (!v.is(supplierCode, supplier) || !mayBeAuthentic(signatureOf(ctx))) return undefined
    return ctx.state.databaseTime(() => lookUp(supplier))
  }

  const isMany = createPushCount()
  routes.post(pushRoute, async (ctx: RouteContext) => {
    const supplier = ctx.params.code ?? ''
    const signer = await signerOf(ctx, supplier)
    // The key of another protocol signs no results.
    if (signer?.pushes_results === false) return refuseCounted(ctx, admission, 'NOT_FOUND')
    const token = signer && supplierCredential(signer.token)
    if (token === undefined) return refuseCounted(ctx, admission, 'BAD_SIGNATURE')
    const body = await readBody(ctx)
    if (typeof body === 'string') return refuseCounted(ctx, admission, body)
    const signed = { ...signatureOf(ctx), token, rawBody: body }
    if (!verifyPush(signed)) return refuseCounted(ctx, admission, 'BAD_SIGNATURE')
    if (isMany(supplier) && !(await admission.count(ctx))) return
    await recordPush(ctx, { record, admission, metrics }, { supplier, token }, body)
  })
}

function signatureOf(ctx: Context) {
  return {
    timestamp: ctx.get('X-Supplier-Timestamp'),
    signature: ctx.get('X-Supplier-Signature'),
    now: new Date(),
  }
}

async function recordPush(
  ctx: Context,
  {
    record,
    admission,
    metrics,
  }: {
    record: RecordPush
    admission: Admission
    metrics: Pick<HttpMetrics, 'endedOrder'>
  },
  { supplier, token }: { supplier: string; token: string },
  rawBody: Buffer,
): Promise<void> {
  const push = parsePush(rawBody)
  if (!push.ok && push.problem === 'malformed') return refuseInvalid(ctx, push.details)
  if (!push.ok) return refuse(ctx, 'UNKNOWN_REFERENCE')
  const recorded = await ctx.state.databaseTime(() =>
    record({ supplier, reference: push.reference, outcome: withoutToken(push.outcome, token) }),
  )
  const { answer, ended_outcome: outcome, ended_seconds: seconds } = recorded
  if (outcome !== null && seconds !== null) metrics.endedOrder(outcome, seconds)
  if (answer === 'unknown_reference') return refuse(ctx, 'UNKNOWN_REFERENCE')
  if (answer === 'repeated_too_often' && !(await admission.count(ctx))) return
  ctx.status = 204
}
