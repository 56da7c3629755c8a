import * as v from 'valibot'
import { hasTwoDecimals, inHundredths } from '../../messages/hundredths.ts'
import type { ListedOffer, Listing, UnusableOffer } from '../adapter.ts'
import type { Ask } from '../api.ts'
import { jsonOf, readAnswer } from '../body.ts'
import { stock } from '../listing.ts'
import { list, number, object, text } from '../parts.ts'
import { readShopTexts } from '../shop_texts.ts'
import { readSku, type Sku } from './order.ts'
import { errorIn } from './refusal.ts'

const terms = {
  price: v.pipe(number, v.minValue(0, 'must not be negative'), v.maxValue(1e9, 'is too large')),
  qty: stock,
  textQty: v.nullish(stock, null),
  isPreorder: v.nullish(v.boolean('must be true or false'), false),
}
const offers = v.nullish(list(object({ offerId: text, ...terms })), () => [])
const productSchema = object({
  productId: text,
  ...terms,
  offers,
  description: v.optional(v.unknown()),
  activationDetails: v.optional(v.unknown()),
})

type Product = v.InferOutput<typeof productSchema>
type Terms = Pick<Product, keyof typeof terms>
type Read = { ok: true; product: Product | null } | { ok: true; problem: string } | Extract<Listing, { ok: false }>

/**
 * Costs and stock of these skus, one request for each product. A product that makes no sense is a problem of its skus.
 * If one product is not answered, there is no list at all: its skus would look out of stock.
 */
export async function listOffers(ask: Ask, skus: readonly string[]): Promise<Listing> {
  const known = skus.flatMap((sku) => {
    const parts = readSku(sku)
    return parts === undefined ? [] : { sku, ...parts }
  })
  const offers: (ListedOffer | UnusableOffer)[] = []
  for (const [productId, wanted] of Map.groupBy(known, ({ productId }) => productId)) {
    const read = await readProduct(ask, productId)
    if (!read.ok) return read
    for (const { sku, offerId } of wanted) {
      if ('problem' in read) offers.push({ sku, problem: read.problem })
      // A product can list many offers: only the wanted ones are kept.
      else if (read.product !== null) offers.push(...offerOf(sku, read.product, offerId))
    }
  }
  return { ok: true, offers }
}

async function readProduct(ask: Ask, productId: string): Promise<Read> {
  const exchange = await ask({ path: `/v2/products/${productId}` })
  if (!('answer' in exchange)) return { ok: false, error: exchange.lost }
  const { answer } = exchange
  // Only the API itself knows that it has no such product: another server answers 404 to everything.
  if (answer.status === 404 && errorIn(answer) !== undefined) return { ok: true, product: null }
  if (answer.status !== 200) return { ok: false, error: `HTTP ${answer.status}`, httpStatus: answer.status }
  const read = readAnswer(productSchema, answer)
  if (!read.ok) {
    const isOurs = v.is(v.object({ productId: v.literal(productId) }), jsonOf(answer))
    return isOurs
      ? { ok: true, problem: read.problem }
      : { ok: false, error: `the answer is unusable: ${read.problem}` }
  }
  if (read.value.productId !== productId) return { ok: false, error: 'the answer is about another product' }
  return { ok: true, product: read.value }
}

function offerOf(sku: string, product: Product, offerId: Sku['offerId']): ListedOffer[] {
  const terms: Terms | undefined =
    offerId === null ? product : product.offers.find((offer) => offer.offerId === offerId)
  if (terms === undefined) return []
  // Their texts are in English.
  const { description, activationDetails: redeem = null } = product
  const texts = readShopTexts({ locale: 'en', description, redeem, terms: null })
  const offer = { sku, cost: costOf(terms.price), currency: 'EUR', stock: stockOf(terms, product.isPreorder) }
  return [texts === undefined ? offer : { ...offer, texts }]
}

/** The stock of text keys, the only ones that we order; null if the API does not count them separately. */
function stockOf({ qty, textQty, isPreorder }: Terms, isProductPreorder: boolean): number | null {
  if (isPreorder || isProductPreorder || qty === 0) return 0
  return textQty
}

/** A price as a decimal with two places, rounded up. */
function costOf(price: number): string {
  const rounded = inHundredths(price)
  return (rounded >= price || hasTwoDecimals(price) ? rounded : rounded + 0.01).toFixed(2)
}
