import * as v from 'valibot'
import { currency, flag, listOf, money, oneOf, pagination, text, time, url, wholeNumber } from './parts.ts'

export const game = v.object({
  id: wholeNumber('The game’s number.', 1),
  slug: text('The game’s name in URLs.'),
  name: text('The game’s name.'),
  imageUrl: v.nullable(url('A picture of the game.')),
  deliveryTypes: listOf(v.string(), 'The `deliveryType`s of the game’s products.'),
  productCount: wholeNumber('The number of products in the game’s list of products.'),
})

export const gameList = v.array(game)

export const deliveryField = v.object({
  id: text('The key in `deliveryData`.'),
  type: oneOf(['text', 'number', 'select'], 'A `select` takes one of its `options`.'),
  label: text('The name of the field for buyers.'),
  required: v.boolean(),
  placeholder: v.nullable(text('An example of a value.')),
  options: v.optional(listOf(v.string(), 'The values of a `select`.')),
})

const fixedAmount = v.object({
  type: v.picklist(['fixed']),
  value: v.pipe(v.number(), v.description('How much of the game’s currency one unit holds.')),
})

export const product = v.object({
  id: wholeNumber('The `productId` of orders.', 1),
  gameSlug: text('The `slug` of the product’s game.'),
  name: text('The product’s name.'),
  slug: text('The product’s name in URLs.'),
  wholesalePrice: money('Your price per unit.'),
  currency,
  region: v.nullable(text('Where the product can be used; `null`: anywhere.')),
  deliveryType: v.pipe(
    v.string(),
    v.metadata({
      description: '`id_only` is a top-up of a player, `key` delivers keys. There may be other types.',
      examples: ['id_only', 'key'],
    }),
  ),
  amountType: v.nullable(fixedAmount),
  inStock: flag('True if you can order the product now.'),
  minQuantity: wholeNumber('The smallest quantity of an item.', 1),
  maxQuantity: wholeNumber('The largest quantity of an item.', 1),
  deliveryDataSchema: listOf(deliveryField, 'The fields of an item’s `deliveryData`.'),
  updatedAt: time('When the product or its availability last changed.'),
})

export const productList = v.array(product)

export const catalogPage = v.object({ products: listOf(product, 'By `id`.'), pagination })
