import * as v from 'valibot'
import { clock } from '../../clock.ts'
import type { ListedOffer, Listing, SupplierAccess, UnusableOffer } from '../adapter.ts'
import type { Ask } from '../api.ts'
import { readValue } from '../body.ts'
import { readListed, stock } from '../listing.ts'
import { list, number, object, text } from '../parts.ts'
import { readAccount, tokenProblem } from './account.ts'
import { refusalIn } from './codes.ts'

// The list holds all products of all sellers.
const maxBytes = 3 * 1024 * 1024
// Their times are those of Jakarta, which has no summer time.
const jakartaMinutes = 7 * 60

const flag = v.boolean('must be true or false')
const time = v.pipe(text, v.regex(/^([01]?\d|2[0-3]):[0-5]?\d$/, 'must be a time of day'))
const offerSchema = object({
  price: v.pipe(number, v.safeInteger('must be an integer'), v.minValue(0, 'must be 0 or more')),
  buyer_product_status: flag,
  seller_product_status: flag,
  unlimited_stock: flag,
  stock,
  start_cut_off: time,
  end_cut_off: time,
})
const entrySchema = v.looseObject({ buyer_sku_code: v.string() })

/**
 * Costs and stock of these skus, in one request for all: the API gives its list once in five minutes. An entry that makes
 * no sense is a problem of its sku alone.
 */
export async function listOffers(ask: Ask, skus: readonly string[], access: SupplierAccess): Promise<Listing> {
  if (skus.length === 0) return { ok: true, offers: [] }
  const account = readAccount(access.token)
  if (account === undefined) return { ok: false, error: tokenProblem }
  const body = { cmd: 'prepaid', ...account.signed('pricelist') }
  const exchange = await ask({ path: '/price-list', body, maxBytes })
  const refusal = refusalIn(exchange)
  if (refusal !== undefined) return refusal
  const read = readListed(object({ data: list(v.unknown()) }), exchange)
  if (!read.ok) return read
  const entries = read.value.data.filter((entry) => v.is(entrySchema, entry))
  return { ok: true, offers: entries.filter(({ buyer_sku_code: sku }) => skus.includes(sku)).map(offerOf) }
}

function offerOf(entry: v.InferOutput<typeof entrySchema>): ListedOffer | UnusableOffer {
  const sku = entry.buyer_sku_code
  const read = readValue(offerSchema, entry)
  if (!read.ok) return { sku, problem: read.problem }
  const { value } = read
  const isOpen = value.buyer_product_status && value.seller_product_status && !isCutOff(value)
  const left = value.unlimited_stock ? null : value.stock
  return { sku, cost: value.price.toFixed(2), currency: 'IDR', stock: isOpen ? left : 0 }
}

/** Whether the seller is closed now; with two equal times it never is. The closed time may pass midnight. */
function isCutOff(offer: v.InferOutput<typeof offerSchema>): boolean {
  const [start, end] = [offer.start_cut_off, offer.end_cut_off].map((time) => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number)
    return hours * 60 + minutes
  }) as [number, number]
  const minute = (Math.floor(clock.now().getTime() / 60_000) + jakartaMinutes) % (24 * 60)
  return start <= end ? minute >= start && minute < end : minute >= start || minute < end
}
