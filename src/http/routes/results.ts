import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { refuse } from '../errors.ts'
import { replyUnstored } from '../reply.ts'
import { resultsQuery } from '../schemas.ts'
import { readQuery } from '../validate.ts'
import type { RouteOptions } from './options.ts'
import type { Waiter } from './result_waiters.ts'

/**
 * The orders of an account that became final, by their numbers. A standby could be behind: they come from the primary.
 */
export function addResultRoutes(routes: Routes, options: RouteOptions): void {
  routes.get('/b2b/results', (ctx) => listResults(ctx, options))
}

async function listResults(ctx: RouteContext, { db, turns, resultWaiters }: RouteOptions): Promise<void> {
  const { after, limit, wait } = readQuery(ctx, resultsQuery)
  const { id, keyId } = accountOf(ctx)

  async function look() {
    const read = () => db.call('api.list_results', { account_id: id, key_id: keyId, after, page_limit: limit })
    const [page] = await turns(id, () => ctx.state.databaseTime(read))
    return page
  }

  const until = performance.now() + wait * 1_000
  // A client that has gone while its key was checked closes nothing any more.
  const waiter = wait === 0 || ctx.req.socket.destroyed ? undefined : resultWaiters.enter(id, after)
  const page = await (waiter === undefined ? look() : lookAgain(ctx, look, waiter, { after, until }))
  if (page === undefined) return refuse(ctx, 'UNAUTHORIZED')
  replyUnstored(ctx, page.body)
}

type Page = { count: number; last_seq: string; body: string }

async function lookAgain(
  ctx: RouteContext,
  look: () => Promise<Page | undefined>,
  waiter: Waiter,
  { after, until }: { after: number; until: number },
): Promise<Page | undefined> {
  ctx.res.once('close', waiter.end)
  try {
    let page = await look()
    // A request with an `after` beyond the last number is answered at once.
    while (page !== undefined && page.count === 0 && Number(page.last_seq) >= after) {
      const reason = await waiter.next(until)
      if (reason === 'end') break
      page = await look()
      if (reason === 'time') break
    }
    return page
  } finally {
    ctx.res.off('close', waiter.end)
    waiter.leave()
  }
}
