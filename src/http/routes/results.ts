import type { RouteContext } from '../context.ts'
import { refuse } from '../errors.ts'
import { resultPage } from '../models/orders.ts'
import { replyUnstored } from '../reply.ts'
import { resultsQuery } from '../schemas.ts'
import type { Waiter } from './result_waiters.ts'
import { route } from './route.ts'

/**
 * The orders of an account that became final, by their numbers. A standby could be behind: they come from the primary.
 */
export const resultRoutes = [
  route({
    method: 'get',
    path: '/b2b/results',
    access: 'key',
    id: 'listResults',
    tag: 'Results',
    summary: 'List results',
    description: [
      'Every order of the account that became final: also orders without a `callbackUrl` and partial results, which ' +
        'have no webhook. Results have numbers, from 1 without a gap. Store `nextAfter` together with what you did ' +
        'about the results, and send it as `after` next time: you get each result once and miss none.',
      'Each result has the items of its order with `id` and `productId`. Only the keys are missing: read the order.',
      'With `wait`, an empty answer waits for a result for so many seconds. It can come earlier: while a server stops, ' +
        'or when too many requests wait (10 of an account, 1,000 in all, in each server process). Pause for a second ' +
        'after an empty answer.',
    ].join('\n\n'),
    query: resultsQuery,
    answers: { 200: { description: 'The results after `after`, the oldest first.', data: resultPage } },
    handle: async (
      ctx,
      {
        db,
        turns,
        resultWaiters,
        account: { id: account_id, keyId: key_id },
        query: { after, limit: page_limit, wait },
      },
    ) => {
      async function look() {
        const read = () => db.call('api.list_results', { account_id, key_id, after, page_limit })
        const [page] = await turns(account_id, () => ctx.state.databaseTime(read))
        return page
      }

      const until = performance.now() + wait * 1_000
      // A client that has gone while its key was checked closes nothing any more.
      const waiter = wait === 0 || ctx.req.socket.destroyed ? undefined : resultWaiters.enter(account_id, after)
      const page = await (waiter === undefined ? look() : lookAgain(ctx, look, waiter, { after, until }))
      if (page === undefined) return refuse(ctx, 'UNAUTHORIZED')
      replyUnstored(ctx, page.body)
    },
  }),
]

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
