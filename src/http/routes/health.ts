import { clock, differenceInWords } from '../../clock.ts'
import { batch } from '../../database/batch.ts'
import type { Functions } from '../../database/client.ts'
import { currentFor } from '../../database/version.ts'
import type { Context, Routes } from '../context.ts'
import { databaseTimeMs } from '../database_time.ts'
import { refuse } from '../errors.ts'
import { reply } from '../reply.ts'
import type { RouteOptions } from './options.ts'

const commitProofMs = 1_000

type State = Functions['api.readiness']['result'][number] | undefined

/**
 * `/livez`: the process answers. `/readyz`: it can do its work, for the database answers, commits writes, and has the
 * migrations and the functions that this program was written for. That it commits is asked once a second at most.
 */
export function addHealthRoutes(routes: Routes, { db, expected, lifecycle }: RouteOptions): void {
  const isCurrent = currentFor(expected)
  const readState = batch<null, State>({
    run: async (askers) => {
      const [state] = await db.call('api.readiness')
      return askers.map(() => state)
    },
    max: 1_000,
    waitMs: databaseTimeMs,
  })

  const proveCommit = onceInA(commitProofMs, () => db.call('api.prove_commit'))

  routes.get('/livez', (ctx: Context) => reply(ctx, '{"status":"ok"}'))

  routes.get('/readyz', async (ctx: Context) => {
    if (lifecycle.draining) return refuse(ctx, 'UNAVAILABLE')
    const state = await ctx.state.databaseTime(() => readState(null))
    if (state === undefined || state.standby || !isCurrent(state)) return refuse(ctx, 'UNAVAILABLE')
    // A synchronous standby that is gone stops commits alone.
    await ctx.state.databaseTime(proveCommit)
    const secondsAhead = clock.secondsAhead()
    // It stays ready: it corrects its clock, and the wrong one may be that of the database, for all processes.
    const warning = secondsAhead === null ? {} : { clock: differenceInWords(secondsAhead) }
    reply(ctx, JSON.stringify({ status: 'ready', ...warning }))
  })
}

// Checks within this time, or while the work is under way, share one result: anyone may send them.
function onceInA(ms: number, work: () => Promise<unknown>): () => Promise<unknown> {
  let latest: Promise<unknown> = Promise.resolve()
  let began = Number.NEGATIVE_INFINITY
  let underWay = false
  return () => {
    if (underWay || performance.now() - began < ms) return latest
    began = performance.now()
    underWay = true
    latest = work().finally(() => {
      underWay = false
    })
    return latest
  }
}
