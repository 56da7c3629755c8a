import * as v from 'valibot'
import type { RouteContext } from '../context.ts'
import { refuse } from '../errors.ts'
import * as catalog from '../models/catalog.ts'
import { replyCached } from '../reply.ts'
import { catalogQuery, gameSlug, gamesQuery, productNumber, productQuery, productsQuery } from '../schemas.ts'
import { type Answer, type HeaderParam, param, route } from './route.ts'

const tag = 'Catalog'
const access = 'key'
const slug = param(gameSlug, 'dragon-harbor', 'The game’s `slug`.', 'GAME_NOT_FOUND')
const id = param(productNumber, '101', 'The product’s `id`.', 'PRODUCT_NOT_FOUND')
const headers: HeaderParam[] = [
  {
    name: 'If-None-Match',
    description: 'The `ETag` of an earlier answer. If nothing has changed, the answer is an empty 304.',
    schema: v.string(),
  },
]
const cached = (description: string, data: v.GenericSchema, ...more: string[]): { [status: number]: Answer } => {
  const headers = ['ETag', 'Cache-Control', 'Vary', ...more]
  return { 200: { description, data, headers }, 304: { description: 'Nothing has changed.', headers } }
}

/** The next page of a bare list: the present address with another cursor. A proxy may have changed its path. */
function linkNext(ctx: RouteContext, cursor: string): void {
  const query = new URLSearchParams(ctx.querystring)
  query.set('cursor', cursor)
  ctx.set('Link', `<?${query}>; rel="next"`)
}

/** The catalog: the games, the products of a game, those of all games, one product. Each answer has an ETag. */
export const catalogRoutes = [
  route({
    method: 'get',
    path: '/b2b/catalog/games',
    access,
    id: 'listGames',
    tag,
    summary: 'List games',
    description: 'All games, by name.',
    query: gamesQuery,
    headers,
    answers: cached('The games.', catalog.gameList),
    handle: async (ctx, { reads, account: { id: account_id }, query: { updatedSince: updated_since } }) => {
      const games = await ctx.state.databaseTime(() => reads.call('api.list_games', { account_id, updated_since }))
      replyCached(ctx, games ?? '[]')
    },
  }),
  route({
    method: 'get',
    path: '/b2b/catalog/games/:slug/products',
    access,
    id: 'listProducts',
    tag,
    summary: 'List the products of a game',
    description:
      'The products of a game in your account’s currency, by `id`: all of them up to 5,000. If there are more, the ' +
      'header `Link` has the address of the next page. Products that you cannot order now have `inStock: false`.',
    params: { slug },
    query: productsQuery,
    headers,
    answers: cached('The products.', catalog.productList, 'Link'),
    errors: ['GAME_NOT_FOUND'],
    handle: async (ctx, { reads, turns, account: { id: account_id }, params, query }) => {
      const { deliveryType: delivery_type, updatedSince: updated_since, limit: page_limit, cursor } = query
      const asked = { account_id, game_slug: params.slug, delivery_type, updated_since, page_limit }
      const read = () => reads.call('api.list_products', { ...asked, after_id: Number(cursor ?? 0) })
      const [page] = await turns(account_id, () => ctx.state.databaseTime(read))
      if (page === undefined) return refuse(ctx, 'GAME_NOT_FOUND')
      if (page.next_cursor !== null) linkNext(ctx, page.next_cursor)
      replyCached(ctx, page.products)
    },
  }),
  route({
    method: 'get',
    path: '/b2b/catalog/products',
    access,
    id: 'listCatalog',
    tag,
    summary: 'List all products',
    description:
      'The whole catalog in your account’s currency, by `id`. A cursor stays valid when products change. Read the ' +
      'whole catalog once, and later only the changes, with `updatedSince`.',
    query: catalogQuery,
    headers,
    answers: cached('The products.', catalog.catalogPage),
    handle: async (
      ctx,
      { reads, turns, account: { id: account_id }, query: { updatedSince, limit: page_limit, cursor } },
    ) => {
      const asked = { account_id, page_limit, updated_since: updatedSince, after_id: Number(cursor ?? 0) }
      const read = () => reads.call('api.list_catalog', asked)
      const page = await turns(account_id, () => ctx.state.databaseTime(read))
      if (page === null) throw new Error('api.list_catalog returned nothing')
      replyCached(ctx, page)
    },
  }),
  route({
    method: 'get',
    path: '/b2b/catalog/products/:id',
    access,
    id: 'getProduct',
    tag,
    summary: 'Read a product',
    description:
      'One product with its price, its stock, the fields of its `deliveryData`, and its texts for buyers in the ' +
      '`locale`, else in its language, else the oldest ones. The texts are plain text or Markdown: escape them.',
    params: { id },
    query: productQuery,
    headers,
    answers: cached('The product.', catalog.productWithTexts),
    errors: ['PRODUCT_NOT_FOUND'],
    handle: async (ctx, { reads, account: { id: account_id }, params: { id: product_id }, query: { locale } }) => {
      const read = () => reads.call('api.get_product', { account_id, product_id, locale })
      const product = await ctx.state.databaseTime(read)
      if (product === null) return refuse(ctx, 'PRODUCT_NOT_FOUND')
      replyCached(ctx, product)
    },
  }),
]
