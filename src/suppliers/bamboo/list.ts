import * as v from 'valibot'
import type { ListedOffer, Listing, UnusableOffer } from '../adapter.ts'
import type { Ask } from '../api.ts'
import { readValue } from '../body.ts'
import { readListed, stock } from '../listing.ts'
import { currency, list, number, object } from '../parts.ts'
import { readSku } from './account.ts'

const amount = v.pipe(number, v.minValue(0, 'must be 0 or more'), v.maxValue(1e9, 'is too large'))
const productSchema = object({
  minFaceValue: v.pipe(amount, v.gtValue(0, 'must be more than 0')),
  maxFaceValue: v.pipe(amount, v.gtValue(0, 'must be more than 0')),
  count: v.nullish(stock, null),
  price: object({ min: amount, max: amount, currencyCode: currency }),
})
const entrySchema = v.looseObject({ id: number })
const catalogSchema = object({ count: stock, items: list(object({ products: list(v.unknown()) })) })

/** Costs and stock of these skus, one request for each product, whose face values it lists. */
export async function listOffers(ask: Ask, skus: readonly string[]): Promise<Listing> {
  const known = skus.map((sku) => ({ sku, ...readSku(sku) })).filter(({ productId }) => productId !== undefined)
  const offers: (ListedOffer | UnusableOffer)[] = []
  for (const [productId, wanted] of Map.groupBy(known, ({ productId }) => productId)) {
    const read = readListed(
      catalogSchema,
      await ask({ path: '/v2.0/catalog', query: { ProductId: String(productId), PageSize: '100', PageIndex: '0' } }),
    )
    if (!read.ok) return read
    const { count: total, items } = read.value
    if (total > items.length) return { ok: false, error: `it lists ${items.length} of ${total} entries` }
    const products = items.flatMap((item) => item.products).filter((entry) => v.is(entrySchema, entry))
    const product = products.find(({ id }) => id === productId)
    if (product === undefined) continue
    for (const { sku, faceValue } of wanted) offers.push(offerOf(sku, faceValue ?? 0, product))
  }
  return { ok: true, offers }
}

function offerOf(sku: string, faceValue: number, product: object): ListedOffer | UnusableOffer {
  const read = readValue(productSchema, product)
  if (!read.ok) return { sku, problem: read.problem }
  const { minFaceValue, maxFaceValue, price, count } = read.value
  if (faceValue < minFaceValue || faceValue > maxFaceValue) {
    return { sku, problem: `the face value must be ${minFaceValue} to ${maxFaceValue}` }
  }
  // How a price lies between its bounds is not documented: the higher rate counts.
  const rate = Math.max(price.min / minFaceValue, price.max / maxFaceValue)
  const cost = (Math.ceil(Number((faceValue * rate * 100).toFixed(6))) / 100).toFixed(2)
  return { sku, cost, currency: price.currencyCode, stock: count }
}
