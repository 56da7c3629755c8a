import { answers, money } from './bodies.ts'
import { placedAt } from './orders.ts'

const topUp = {
  id: 101,
  gameSlug: 'dragon-harbor',
  name: '60 pearls',
  slug: '60-pearls',
  wholesalePrice: money(89),
  currency: 'RUB',
  region: null,
  deliveryType: 'id_only',
  amountType: { type: 'fixed', value: 60 },
  inStock: true,
  minQuantity: 1,
  maxQuantity: 100,
  deliveryDataSchema: [
    { id: 'gameUserId', type: 'text', label: 'Player ID', required: true, placeholder: '123456789' },
  ],
  updatedAt: placedAt,
}

const key = {
  ...topUp,
  id: 112,
  gameSlug: 'frost-kingdoms',
  name: 'Frost Kingdoms: Deep Ice',
  slug: 'frost-kingdoms-deep-ice',
  wholesalePrice: money(790),
  region: 'RU',
  deliveryType: 'key',
  amountType: null,
  maxQuantity: 10,
  deliveryDataSchema: [],
}

const game = {
  id: 1,
  slug: 'dragon-harbor',
  name: 'Dragon Harbor',
  imageUrl: 'https://img.supply.example/dragon-harbor.png',
  deliveryTypes: ['id_only'],
  productCount: 4,
}

export const games = answers({
  'Two games': [
    game,
    { ...game, id: 4, slug: 'frost-kingdoms', name: 'Frost Kingdoms', imageUrl: null, deliveryTypes: ['key'] },
  ],
})

export const productLists = answers({ 'The products of a game': [topUp] })

export const productAnswers = answers({ 'A top-up': topUp, 'A product of keys': key })

export const catalogPages = answers({
  'Two products': { products: [topUp, key], pagination: { limit: 100, nextCursor: null, hasMore: false } },
})
