import type { Database } from '../../database/client.ts'
import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { refuse, refuseInvalid } from '../errors.ts'
import type { ListTurns } from '../list_turns.ts'
import { replyUnstored } from '../reply.ts'
import { resultsQuery } from '../schemas.ts'
import { checkQuery } from '../validate.ts'
import type { ResultWaiters, Waiter } from './result_waiters.ts'

export type ResultRouteOptions = { db: Database; turns: ListTurns; resultWaiters: ResultWaiters }

/** The orders of an account that became final, by their numbers. A standby could be behind: they come from the primary. */
export function addResultRoutes(routes: Routes, { db, turns, resultWaiters }: ResultRouteOptions): void {
  routes.get('/b2b/results', (ctx) => listResults(ctx, db, turns, resultWaiters))
}

async function listResults(ctx: RouteContext, db: Database, turns: ListTurns, waiters: ResultWaiters): Promise<void> {
  const query = checkQuery(ctx, resultsQuery)
  if (!query.ok) return refuseInvalid(ctx, query.details)
  const { after, limit, wait } = query.value
  const { id, keyId } = accountOf(ctx)

  async function look(awaits: boolean) {
    const read = () => db.call('api.list_results', { account_id: id, key_id: keyId, after, page_limit: limit, awaits })
    const [page] = await turns(id, () => ctx.state.databaseTime(read))
    return page
  }

  const until = performance.now() + wait * 1_000
  // The place is taken before the first look, so that nothing is missed between the two.
  // A client that has gone while its key was checked closes nothing any more.
  const waiter = wait === 0 || ctx.req.socket.destroyed ? undefined : waiters.enter(id, after)
  const page = await (waiter === undefined ? look(false) : lookAgain(ctx, look, waiter, { after, until }))
  if (page === undefined) return refuse(ctx, 'UNAUTHORIZED')
  replyUnstored(ctx, page.body)
}

type Page = { count: number; last_seq: string; body: string }

async function lookAgain(
  ctx: RouteContext,
  look: (awaits: boolean) => Promise<Page | undefined>,
  waiter: Waiter,
  { after, until }: { after: number; until: number },
): Promise<Page | undefined> {
  ctx.res.once('close', waiter.end)
  try {
    let page = await look(true)
    // Who is ahead of the sequence learns that at once.
    while (page !== undefined && page.count === 0 && Number(page.last_seq) >= after) {
      const reason = await waiter.next(until)
      if (reason === 'end') break
      page = await look(reason === 'results')
      if (reason === 'time') break
    }
    return page
  } finally {
    ctx.res.off('close', waiter.end)
    waiter.leave()
  }
}
