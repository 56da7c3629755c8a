import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { refuse } from '../errors.ts'
import { replyCached } from '../reply.ts'
import { catalogQuery, gameSlug, gamesQuery, productNumber, productsQuery } from '../schemas.ts'
import { readParameter, readQuery } from '../validate.ts'
import type { RouteOptions } from './options.ts'

/** The catalog: the games, the products of a game, those of all games, one product. Each answer has an ETag. */
export function addCatalogRoutes(routes: Routes, options: RouteOptions): void {
  routes.get('/b2b/catalog/games', (ctx) => listGames(ctx, options))
  routes.get('/b2b/catalog/games/:slug/products', (ctx) => listProducts(ctx, options))
  routes.get('/b2b/catalog/products', (ctx) => listCatalog(ctx, options))
  routes.get('/b2b/catalog/products/:id', (ctx) => getProduct(ctx, options))
}

async function listGames(ctx: RouteContext, { reads }: RouteOptions): Promise<void> {
  const { updatedSince: updated_since } = readQuery(ctx, gamesQuery)
  const games = await ctx.state.databaseTime(() =>
    reads.call('api.list_games', { account_id: accountOf(ctx).id, updated_since }),
  )
  replyCached(ctx, games ?? '[]')
}

async function listProducts(ctx: RouteContext, { reads }: RouteOptions): Promise<void> {
  const { deliveryType: delivery_type, updatedSince: updated_since } = readQuery(ctx, productsQuery)
  const game_slug = readParameter(ctx, 'slug', gameSlug, 'GAME_NOT_FOUND')
  const products = await ctx.state.databaseTime(() =>
    reads.call('api.list_products', { account_id: accountOf(ctx).id, game_slug, delivery_type, updated_since }),
  )
  if (products === null) return refuse(ctx, 'GAME_NOT_FOUND')
  replyCached(ctx, products)
}

async function listCatalog(ctx: RouteContext, { reads, turns }: RouteOptions): Promise<void> {
  const { updatedSince: updated_since, limit: page_limit, cursor } = readQuery(ctx, catalogQuery)
  const { id: account_id } = accountOf(ctx)
  const read = () =>
    reads.call('api.list_catalog', { account_id, page_limit, updated_since, after_id: Number(cursor ?? 0) })
  const page = await turns(account_id, () => ctx.state.databaseTime(read))
  if (page === null) throw new Error('api.list_catalog returned nothing')
  replyCached(ctx, page)
}

async function getProduct(ctx: RouteContext, { reads }: RouteOptions): Promise<void> {
  const product_id = readParameter(ctx, 'id', productNumber, 'PRODUCT_NOT_FOUND')
  const product = await ctx.state.databaseTime(() =>
    reads.call('api.get_product', { account_id: accountOf(ctx).id, product_id }),
  )
  if (product === null) return refuse(ctx, 'PRODUCT_NOT_FOUND')
  replyCached(ctx, product)
}
