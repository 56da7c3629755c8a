import * as v from 'valibot'
import type { Database } from '../../database/client.ts'
import { accountOf, type RouteContext, type Routes } from '../context.ts'
import { refuse, refuseInvalid } from '../errors.ts'
import { replyCached } from '../reply.ts'
import { gameSlug, gamesQuery, productNumber, productsQuery } from '../schemas.ts'
import { checkQuery } from '../validate.ts'

/** The catalog: the games, the products of a game, one product. Each answer has an ETag. */
export function addCatalogRoutes(routes: Routes, db: Database): void {
  routes.get('/b2b/catalog/games', (ctx) => listGames(ctx, db))
  routes.get('/b2b/catalog/games/:slug/products', (ctx) => listProducts(ctx, db))
  routes.get('/b2b/catalog/products/:id', (ctx) => getProduct(ctx, db))
}

async function listGames(ctx: RouteContext, db: Database): Promise<void> {
  const query = checkQuery(ctx, gamesQuery)
  if (!query.ok) return refuseInvalid(ctx, query.details)
  const games = await ctx.state.databaseTime(() =>
    db.call('api.list_games', { account_id: accountOf(ctx).id, updated_since: query.value.updatedSince }),
  )
  replyCached(ctx, games ?? '[]')
}

async function listProducts(ctx: RouteContext, db: Database): Promise<void> {
  const query = checkQuery(ctx, productsQuery)
  if (!query.ok) return refuseInvalid(ctx, query.details)
  const slug = ctx.params.slug ?? ''
  if (!v.is(gameSlug, slug)) return refuse(ctx, 'GAME_NOT_FOUND')
  const products = await ctx.state.databaseTime(() =>
    db.call('api.list_products', {
      account_id: accountOf(ctx).id,
      game_slug: slug,
      delivery_type: query.value.deliveryType,
      updated_since: query.value.updatedSince,
    }),
  )
  if (products === null) return refuse(ctx, 'GAME_NOT_FOUND')
  replyCached(ctx, products)
}

async function getProduct(ctx: RouteContext, db: Database): Promise<void> {
  const id = ctx.params.id ?? ''
  if (!v.is(productNumber, id)) return refuse(ctx, 'PRODUCT_NOT_FOUND')
  const product = await ctx.state.databaseTime(() =>
    db.call('api.get_product', { account_id: accountOf(ctx).id, product_id: id }),
  )
  if (product === null) return refuse(ctx, 'PRODUCT_NOT_FOUND')
  replyCached(ctx, product)
}
