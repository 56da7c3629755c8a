import { catalogQuery, gameSlug, gamesQuery, productNumber, productsQuery } from '../../../http/schemas.ts'
import * as examples from '../examples/catalog.ts'
import { countedHeaders } from '../headers.ts'
import { pathParameter, queryParameters } from '../json_schema.ts'
import { everywhere, keyChecks, refusals } from '../refusals.ts'
import { ok } from '../replies.ts'
import type { Parameter, Paths } from '../types.ts'

const tags = ['Catalog']
const cached = { headers: ['ETag', 'Cache-Control', 'Vary'] } as const
const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of the answer that you have: where it still holds, the answer is 304 and empty.',
  schema: { type: 'string' },
}
const notModified = {
  304: {
    description: 'What you have still holds.',
    headers: countedHeaders(...cached.headers),
  },
}

/** GET /b2b/catalog/…: the games, the products of a game, one product. */
export const catalogPaths: Paths = {
  '/b2b/catalog/games': {
    get: {
      operationId: 'listGames',
      tags,
      summary: 'List games',
      description: 'All games, by name.',
      parameters: [...queryParameters(gamesQuery), ifNoneMatch],
      responses: {
        200: ok('The games.', 'GameList', examples.games, { headers: [...cached.headers] }),
        ...notModified,
        ...refusals(['VALIDATION_ERROR']),
        ...keyChecks,
        ...everywhere,
      },
    },
  },
  '/b2b/catalog/games/{slug}/products': {
    get: {
      operationId: 'listProducts',
      tags,
      summary: 'List the products of a game',
      description:
        'All products of a game in your account’s currency. One that cannot be ordered now stays, with `inStock: false`.',
      parameters: [
        pathParameter('slug', 'The game’s `slug`.', gameSlug, 'dragon-harbor'),
        ...queryParameters(productsQuery),
        ifNoneMatch,
      ],
      responses: {
        200: ok('The products.', 'ProductList', examples.productLists, { headers: [...cached.headers] }),
        ...notModified,
        ...refusals(['VALIDATION_ERROR', 'GAME_NOT_FOUND']),
        ...keyChecks,
        ...everywhere,
      },
    },
  },
  '/b2b/catalog/products': {
    get: {
      operationId: 'listCatalog',
      tags,
      summary: 'List all products',
      description:
        'The whole catalog in your account’s currency, by `id`. A cursor stays good whatever changes in between. After the first ' +
        'time, ask with `updatedSince` for what has changed.',
      parameters: [...queryParameters(catalogQuery), ifNoneMatch],
      responses: {
        200: ok('The products.', 'CatalogPage', examples.catalogPages, { headers: [...cached.headers] }),
        ...notModified,
        ...refusals(['VALIDATION_ERROR']),
        ...keyChecks,
        ...everywhere,
      },
    },
  },
  '/b2b/catalog/products/{id}': {
    get: {
      operationId: 'getProduct',
      tags,
      summary: 'Read a product',
      parameters: [pathParameter('id', 'The product’s `id`.', productNumber, '101'), ifNoneMatch],
      responses: {
        200: ok('The product.', 'ProductAnswer', examples.productAnswers, { headers: [...cached.headers] }),
        ...notModified,
        ...refusals(['VALIDATION_ERROR', 'PRODUCT_NOT_FOUND']),
        ...keyChecks,
        ...everywhere,
      },
    },
  },
}
