import type { Database } from '../../database/client.ts'
import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { replyUnstored } from '../reply.ts'

/** What the service knows of the request's account and key, and what is left of the rate limit. */
export function addMeRoute(routes: Routes, { db }: { db: Database }): void {
  routes.get('/b2b/me', (ctx) => getMe(ctx, db))
}

async function getMe(ctx: RouteContext, db: Database): Promise<void> {
  const { id: account_id, keyId: key_id } = accountOf(ctx)
  const me = await ctx.state.databaseTime(() => db.call('api.get_me', { account_id, key_id }))
  if (me === null) throw new Error('an authenticated account does not exist')
  const budget = (name: string) => Number(ctx.response.get(`X-RateLimit-${name}`))
  const rateLimit = { limit: budget('Limit'), remaining: budget('Remaining'), resetSeconds: budget('Reset') }
  replyUnstored(ctx, JSON.stringify({ ...JSON.parse(me), rateLimit, address: ctx.state.client }))
}
