import * as v from 'valibot'
import type { Reads } from '../../database/reads.ts'
import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { refuse, refuseInvalid } from '../errors.ts'
import type { ListTurns } from '../list_turns.ts'
import { replyCached } from '../reply.ts'
import { catalogQuery, gameSlug, gamesQuery, productNumber, productsQuery } from '../schemas.ts'
import { checkQuery } from '../validate.ts'

/** The catalog: the games, the products of a game, those of all games, one product. Each answer has an ETag. */
export function addCatalogRoutes(routes: Routes, { reads, turns }: { reads: Reads; turns: ListTurns }): void {
  routes.get('/b2b/catalog/games', (ctx) => listGames(ctx, reads))
  routes.get('/b2b/catalog/games/:slug/products', (ctx) => listProducts(ctx, reads))
  routes.get('/b2b/catalog/products', (ctx) => listCatalog(ctx, reads, turns))
  routes.get('/b2b/catalog/products/:id', (ctx) => getProduct(ctx, reads))
}

async function listGames(ctx: RouteContext, reads: Reads): Promise<void> {
  const query = checkQuery(ctx, gamesQuery)
  if (!query.ok) return refuseInvalid(ctx, query.details)
  const games = await ctx.state.databaseTime(() =>
    reads.call('api.list_games', { account_id: accountOf(ctx).id, updated_since: query.value.updatedSince }),
  )
  replyCached(ctx, games ?? '[]')
}

async function listProducts(ctx: RouteContext, reads: Reads): Promise<void> {
  const query = checkQuery(ctx, productsQuery)
  if (!query.ok) return refuseInvalid(ctx, query.details)
  const slug = ctx.params.slug ?? ''
  if (!v.is(gameSlug, slug)) return refuse(ctx, 'GAME_NOT_FOUND')
  const products = await ctx.state.databaseTime(() =>
    reads.call('api.list_products', {
      account_id: accountOf(ctx).id,
      game_slug: slug,
      delivery_type: query.value.deliveryType,
      updated_since: query.value.updatedSince,
    }),
  )
  if (products === null) return refuse(ctx, 'GAME_NOT_FOUND')
  replyCached(ctx, products)
}

async function listCatalog(ctx: RouteContext, reads: Reads, turns: ListTurns): Promise<void> {
  const query = checkQuery(ctx, catalogQuery)
  if (!query.ok) return refuseInvalid(ctx, query.details)
  const { updatedSince: updated_since, limit: page_limit, cursor } = query.value
  const { id: account_id } = accountOf(ctx)
  const read = () =>
    reads.call('api.list_catalog', { account_id, page_limit, updated_since, after_id: Number(cursor ?? 0) })
  const page = await turns(account_id, () => ctx.state.databaseTime(read))
  if (page === null) throw new Error('api.list_catalog returned nothing')
  replyCached(ctx, page)
}

async function getProduct(ctx: RouteContext, reads: Reads): Promise<void> {
  const id = ctx.params.id ?? ''
  if (!v.is(productNumber, id)) return refuse(ctx, 'PRODUCT_NOT_FOUND')
  const product = await ctx.state.databaseTime(() =>
    reads.call('api.get_product', { account_id: accountOf(ctx).id, product_id: id }),
  )
  if (product === null) return refuse(ctx, 'PRODUCT_NOT_FOUND')
  replyCached(ctx, product)
}
