import * as v from 'valibot'
import type { ListedOffer, Listing, SupplierAccess } from '../adapter.ts'
import { problemOf } from '../answer.ts'
import { readJsonBody } from '../body.ts'
import type { SupplierHttp } from '../exchange.ts'
import { errorIn, gatewayAt } from './gateway.ts'
import { readSku, type Sku } from './order.ts'

const count = v.pipe(
  v.number('must be a number'),
  v.safeInteger('must be an integer'),
  v.minValue(0, 'must be 0 or more'),
  v.maxValue(2_147_483_647, 'is too large'),
)
const terms = {
  price: v.pipe(v.number('must be a number'), v.minValue(0, 'must not be negative'), v.maxValue(1e9, 'is too large')),
  qty: count,
  textQty: v.nullish(count, null),
  isPreorder: v.nullish(v.boolean('must be true or false'), false),
}
const productSchema = v.object(
  {
    productId: v.string('must be a string'),
    ...terms,
    offers: v.nullish(
      v.array(v.object({ offerId: v.string('must be a string'), ...terms }, 'must be an object'), 'must be an array'),
      () => [],
    ),
  },
  'must be an object',
)

type Product = v.InferOutput<typeof productSchema>
type Terms = Omit<Product, 'productId' | 'offers'>
type Read = { ok: true; product: Product | null } | { ok: false; error: string }

/**
 * Costs and stock of these skus, a product a request and one after the other. If one cannot be read there is no list
 * at all: its skus would look out of stock.
 */
export async function listOffers(
  http: SupplierHttp,
  access: SupplierAccess,
  skus: readonly string[],
  signal?: AbortSignal,
): Promise<Listing> {
  const known = skus.flatMap((sku) => {
    const parts = readSku(sku)
    return parts === undefined ? [] : { sku, ...parts }
  })
  const offers: ListedOffer[] = []
  for (const [productId, wanted] of Map.groupBy(known, ({ productId }) => productId)) {
    const read = await readProduct(http, access, productId, signal)
    if (!read.ok) return read
    const { product } = read
    // What a product lists beyond the wanted offers may be large: it is not kept.
    if (product !== null) offers.push(...wanted.flatMap(({ sku, offerId }) => offerOf(sku, product, offerId)))
  }
  return { ok: true, offers }
}

async function readProduct(
  http: SupplierHttp,
  access: SupplierAccess,
  productId: string,
  signal: AbortSignal | undefined,
): Promise<Read> {
  const gateway = gatewayAt(http, access)
  if (gateway === undefined) return { ok: false, error: 'the base URL of the supplier is not usable' }
  await access.pace?.()
  const exchange = await http.withinDeadline((inTime) => gateway({ path: `/v2/products/${productId}` }, inTime), signal)
  if (!('answer' in exchange)) return { ok: false, error: exchange.lost }
  const { answer } = exchange
  // Only the API itself knows that it has no such product: another server answers 404 to everything.
  if (answer.status === 404 && errorIn(answer) !== undefined) return { ok: true, product: null }
  if (answer.status !== 200) return { ok: false, error: `HTTP ${answer.status}` }
  const read = readJsonBody(answer)
  if (!read.readable) return { ok: false, error: `the answer is unusable: ${read.problem}` }
  const parsed = v.safeParse(productSchema, read.value, { abortEarly: true })
  if (!parsed.success) return { ok: false, error: `the answer is unusable: ${problemOf(parsed.issues[0])}` }
  if (parsed.output.productId !== productId) return { ok: false, error: 'the answer is about another product' }
  return { ok: true, product: parsed.output }
}

function offerOf(sku: string, product: Product, offerId: Sku['offerId']): ListedOffer[] {
  const terms: Terms | undefined =
    offerId === null ? product : product.offers.find((offer) => offer.offerId === offerId)
  if (terms === undefined) return []
  return [{ sku, cost: costOf(terms.price), currency: 'EUR', stock: stockOf(terms, product.isPreorder) }]
}

/** We order text alone. Where that is not counted apart, there are some, or there is none at all. */
function stockOf({ qty, textQty, isPreorder }: Terms, isProductPreorder: boolean): number | null {
  if (isPreorder || isProductPreorder || qty === 0) return 0
  return textQty
}

/** A price as a decimal with two places, never below what it is. */
function costOf(price: number): string {
  const rounded = price.toFixed(2)
  return Number(rounded) >= price ? rounded : (Number(rounded) + 0.01).toFixed(2)
}
