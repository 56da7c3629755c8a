import * as v from 'valibot'
import { currency, flag, listOf, money, oneOf, pagination, text, time, url, wholeNumber } from './parts.ts'

export const game = v.object({
  id: wholeNumber('The game’s number.', 1),
  slug: text('The game’s name in URLs.', 'dragon-harbor'),
  name: text('The game’s name.', 'Dragon Harbor'),
  imageUrl: v.nullable(url('A picture of the game.', 'https://img.supply.example/dragon-harbor.png')),
  deliveryTypes: listOf(v.string(), 'The `deliveryType`s of the game’s products.', ['id_only']),
  productCount: wholeNumber('The number of products in the game’s list of products.', 0, 4),
})

export const gameList = v.array(game)

export const deliveryField = v.object({
  id: text('The key in `deliveryData`.', 'gameUserId'),
  type: oneOf(['text', 'number', 'select'], 'A `select` takes one of its `options`.'),
  label: text('The name of the field for buyers.', 'Player ID'),
  required: v.pipe(v.boolean(), v.examples([true])),
  placeholder: v.nullable(text('An example of a value.', '123456789')),
  options: v.optional(listOf(v.string(), 'The values of a `select`.')),
})

const fixedAmount = v.object({
  type: v.picklist(['fixed']),
  value: v.pipe(v.number(), v.description('How much of the game’s currency one unit holds.')),
})

const priceTier = v.object({
  minQuantity: wholeNumber('The smallest quantity of an item that has the price.', 2, 50),
  price: money('Your price per unit, for all units of the item.', 84.55),
})

export const product = v.object({
  id: wholeNumber('The `productId` of orders.', 1, 101),
  gameSlug: text('The `slug` of the product’s game.', 'dragon-harbor'),
  name: text('The product’s name.', '60 pearls'),
  slug: text('The product’s name in URLs.', '60-pearls'),
  wholesalePrice: money('Your price per unit.', 89),
  priceTiers: listOf(priceTier, 'Your prices for larger quantities of one item, by quantity. Empty: there are none.'),
  currency,
  region: v.nullable(text('Where the product can be used; `null`: anywhere.')),
  countries: v.pipe(
    v.nullable(listOf(v.string(), 'Where the product can be used, by ISO 3166 alpha-2; `null`: everywhere.')),
    v.examples([['DE', 'AT']]),
  ),
  platform: v.pipe(v.nullable(text('Where the product is used.')), v.examples(['Android, iOS'])),
  imageUrl: v.pipe(
    v.nullable(url('A picture of the product.')),
    v.examples(['https://img.supply.example/60-pearls.png']),
  ),
  deliveryType: v.pipe(
    v.string(),
    v.metadata({
      description: '`id_only` is a top-up of a player, `key` delivers keys. There may be other types.',
      examples: ['id_only', 'key'],
    }),
  ),
  amountType: v.pipe(v.nullable(fixedAmount), v.examples([{ type: 'fixed', value: 60 }])),
  inStock: flag('True if you can order the product now.', true),
  stock: v.pipe(
    v.nullable(wholeNumber('How many units one item can have now; 100: or more; `null`: unknown.', 0)),
    v.examples([100]),
  ),
  minQuantity: wholeNumber('The smallest quantity of an item.', 1),
  maxQuantity: wholeNumber('The largest quantity of an item.', 1, 100),
  deliveryDataSchema: listOf(deliveryField, 'The fields of an item’s `deliveryData`.'),
  updatedAt: time('When the product, its availability or your price last changed.'),
})

export const productTexts = v.object({
  locale: text('The language of the texts, with a script or a region where it has one.', 'en'),
  description: text('What the product is.', 'Sixty pearls, the currency of Dragon Harbor.'),
  redeem: v.pipe(
    v.nullable(text('How the buyer uses it; `null`: nothing is known.')),
    v.examples(['The pearls arrive in the game within a minute.']),
  ),
  terms: v.nullable(text('The conditions under which it is sold; `null`: there are none.')),
})

export const productWithTexts = v.object({ ...product.entries, texts: v.nullable(productTexts) })

export const productList = v.array(product)

export const catalogPage = v.object({ products: listOf(product, 'By `id`.'), pagination })
