import { catalogQuery, gameSlug, gamesQuery, productNumber, productsQuery } from '../../../http/schemas.ts'
import * as examples from '../examples/catalog.ts'
import { countedHeaders, type HeaderName } from '../headers.ts'
import { pathParameter, queryParameters } from '../json_schema.ts'
import { ok, operation } from '../operation.ts'
import type { Examples, Parameter, Paths, Responses } from '../types.ts'

const tag = 'Catalog'
const cached: HeaderName[] = ['ETag', 'Cache-Control', 'Vary']
const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an earlier answer. If nothing has changed, the answer is an empty 304.',
  schema: { type: 'string' },
}

function answers(description: string, schema: string, values: Examples): Responses {
  return {
    200: ok(description, schema, values, cached),
    304: { description: 'Nothing has changed.', headers: countedHeaders(...cached) },
  }
}

/** /b2b/catalog: the games, the products of a game, all products, one product. */
export const catalogPaths: Paths = {
  '/b2b/catalog/games': {
    get: operation({
      id: 'listGames',
      tag,
      summary: 'List games',
      description: 'All games, by name.',
      parameters: [...queryParameters(gamesQuery), ifNoneMatch],
      answers: answers('The games.', 'GameList', examples.games),
    }),
  },
  '/b2b/catalog/games/{slug}/products': {
    get: operation({
      id: 'listProducts',
      tag,
      summary: 'List the products of a game',
      description:
        'All products of a game in your account’s currency. Products that you cannot order now have `inStock: ' +
        'false`.',
      parameters: [
        pathParameter('slug', 'The game’s `slug`.', gameSlug, 'dragon-harbor'),
        ...queryParameters(productsQuery),
        ifNoneMatch,
      ],
      answers: answers('The products.', 'ProductList', examples.productLists),
      errors: ['GAME_NOT_FOUND'],
    }),
  },
  '/b2b/catalog/products': {
    get: operation({
      id: 'listCatalog',
      tag,
      summary: 'List all products',
      description:
        'The whole catalog in your account’s currency, by `id`. A cursor stays valid when products change. Read ' +
        'the whole catalog once, and later only the changes, with `updatedSince`.',
      parameters: [...queryParameters(catalogQuery), ifNoneMatch],
      answers: answers('The products.', 'CatalogPage', examples.catalogPages),
    }),
  },
  '/b2b/catalog/products/{id}': {
    get: operation({
      id: 'getProduct',
      tag,
      summary: 'Read a product',
      description: 'One product with its price, its stock and the fields of its `deliveryData`.',
      parameters: [pathParameter('id', 'The product’s `id`.', productNumber, '101'), ifNoneMatch],
      answers: answers('The product.', 'ProductAnswer', examples.productAnswers),
      errors: ['PRODUCT_NOT_FOUND'],
    }),
  },
}
