import { answer, named } from './named.ts'
import { placedAt } from './order.ts'

const products = {
  topUp: {
    id: 101,
    gameSlug: 'dragon-harbor',
    name: '60 pearls',
    slug: '60-pearls',
    wholesalePrice: 89,
    currency: 'RUB',
    region: null,
    deliveryType: 'id_only',
    amountType: { type: 'fixed', value: 60 },
    inStock: true,
    minQuantity: 1,
    maxQuantity: 100,
    deliveryDataSchema: [
      { id: 'gameUserId', type: 'text', label: 'Player ID', required: true, placeholder: '123456789' },
      {
        ...{ id: 'server', type: 'select', label: 'Server', required: true, placeholder: null },
        options: ['Europe', 'Asia', 'America'],
      },
    ],
    updatedAt: placedAt,
  },
  key: {
    id: 112,
    gameSlug: 'frost-kingdoms',
    name: 'Frost Kingdoms: Deep Ice',
    slug: 'frost-kingdoms-deep-ice',
    wholesalePrice: 790,
    currency: 'RUB',
    region: 'RU',
    deliveryType: 'key',
    amountType: null,
    inStock: true,
    minQuantity: 1,
    maxQuantity: 10,
    deliveryDataSchema: [],
    updatedAt: placedAt,
  },
}

export const games = {
  games: named(
    'Two games',
    answer([
      {
        ...{ id: 1, slug: 'dragon-harbor', name: 'Dragon Harbor' },
        ...{ imageUrl: 'https://img.supply.example/dragon-harbor.png', deliveryTypes: ['id_only'] },
        productCount: 4,
      },
      {
        ...{ id: 4, slug: 'frost-kingdoms', name: 'Frost Kingdoms' },
        ...{ imageUrl: null, deliveryTypes: ['key'], productCount: 4 },
      },
    ]),
  ),
}

export const productLists = { products: named('The products of a game', answer([products.topUp])) }

export const productAnswers = {
  topUp: named('A top-up', answer(products.topUp)),
  key: named('A product of keys', answer(products.key)),
}

export const catalogPages = {
  first: named(
    'A page of the whole catalog',
    answer({
      products: [products.topUp, products.key],
      pagination: { limit: 2, nextCursor: '112', hasMore: true },
    }),
  ),
}
