import * as v from 'valibot'
import { batch } from '../batch.ts'
import type { Database } from '../db.ts'
import { parsePush, verifyPush } from '../supplier/push.ts'
import { readBody } from './body.ts'
import type { Context, RouteContext, Routes } from './context.ts'
import { databaseTimeMs } from './database_time.ts'
import type { Door } from './door.ts'
import { refuse, refuseInvalid } from './errors.ts'
import { supplierCode } from './schemas.ts'

// Pushes are not counted before their signature is known, so nothing but this keeps forged ones off the database.
const lookUpsAtOnce = 2

/** The results that suppliers push, signed with their tokens. A good push is not counted against the rate limit. */
export function addSupplierRoutes(routes: Routes, { db, door }: { db: Database; door: Door }): void {
  const lookUp = batch<string, string | null>({
    run: async ([supplier = '']) => new Map([[0, await db.call('api.supplier_token', { supplier })]]),
    max: 1,
    inFlight: lookUpsAtOnce,
    waitMs: databaseTimeMs,
  })

  async function isAuthentic(ctx: Context, rawBody: Buffer, supplier: string): Promise<boolean> {
    if (!v.is(supplierCode, supplier)) return false
    const token = await ctx.state.databaseTime(() => lookUp(supplier))
    const timestamp = ctx.get('X-Supplier-Timestamp')
    const signature = ctx.get('X-Supplier-Signature')
    return token !== null && verifyPush({ token, timestamp, signature, rawBody, now: new Date() })
  }

  routes.post('/suppliers/:code/results', async (ctx: RouteContext) => {
    const supplier = ctx.params.code ?? ''
    const body = await readBody(ctx)
    if (!body.ok) return door.refuseCounted(ctx, body.error)
    if (!(await isAuthentic(ctx, body.bytes, supplier))) return door.refuseCounted(ctx, 'BAD_SIGNATURE')
    await recordPush(ctx, db, supplier, body.bytes)
  })
}

async function recordPush(ctx: Context, db: Database, supplier: string, rawBody: Buffer): Promise<void> {
  const push = parsePush(rawBody)
  if (!push.ok && push.problem === 'malformed') return refuseInvalid(ctx, push.details)
  if (!push.ok) return refuse(ctx, 'UNKNOWN_REFERENCE')
  const recorded = await ctx.state.databaseTime(() =>
    db.call('api.record_push', { supplier, item_id: push.reference, result: push.outcome }),
  )
  if (recorded !== 'recorded') return refuse(ctx, 'UNKNOWN_REFERENCE')
  ctx.status = 204
}
