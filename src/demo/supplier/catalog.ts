import demo from '../../../db/seed/demo.json' with { type: 'json' }

/** A product of the simulated upstream. `price` is what one unit costs its partners, in roubles. */
export type SimulatedProduct = {
  id: number
  gameSlug: string
  name: string
  price: number
  deliveryType: string
  maxQuantity: number
  inStock: boolean
}

/** The supplier of the demo that speaks `b2b`: the simulated upstream sells what that one offers, and at its costs. */
const upstreamCode = 'demo-reserve'

const costs = new Map(
  demo.offers.filter(({ supplier }) => supplier === upstreamCode).map(({ sku, cost }) => [sku, cost]),
)

/** The catalog of the simulated upstream: the demo's, and by its own prices where it is a supplier of the demo. */
export const catalog: readonly SimulatedProduct[] = demo.products.map((product) => ({
  id: product.id,
  gameSlug: product.game_slug,
  name: product.name,
  price: costs.get(String(product.id)) ?? product.price,
  deliveryType: product.delivery_type,
  maxQuantity: product.max_quantity ?? 100,
  inStock: product.in_stock ?? true,
}))

/** The games of the simulated upstream, as its catalog lists them. */
export const games = demo.games.map(({ slug, name }, index) => {
  const products = catalog.filter(({ gameSlug }) => gameSlug === slug)
  const deliveryTypes = [...new Set(products.map(({ deliveryType }) => deliveryType))]
  return { id: index + 1, slug, name, imageUrl: null, deliveryTypes, productCount: products.length }
})

/** A product as the catalog of the simulated upstream lists it. */
export function listedProduct({ id, gameSlug, name, price, deliveryType, maxQuantity, inStock }: SimulatedProduct) {
  return {
    id,
    gameSlug,
    name,
    deliveryType,
    inStock,
    maxQuantity,
    slug: `product-${id}`,
    wholesalePrice: price,
    currency: 'RUB',
    minQuantity: 1,
  }
}
