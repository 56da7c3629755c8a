import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'
import { hasTwoDecimals } from '../../messages/hundredths.ts'
import type { ListedOffer, Listing, UnusableOffer } from '../adapter.ts'
import type { Ask } from '../api.ts'
import { readValue } from '../body.ts'
import { type Listed, readListed } from '../listing.ts'
import { currency, list, number, object, text } from '../parts.ts'
import { readShopTexts } from '../shop_texts.ts'
import { productIdOf } from './order.ts'

const maxGames = 1_000
const maxWaitSeconds = 60
const usualWaitSeconds = 5

const slug = v.pipe(text, v.regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/, 'must be a slug'))
const gamesSchema = object({
  data: v.pipe(list(object({ slug })), v.maxLength(maxGames, `has more than ${maxGames} games`)),
})
const productsSchema = object({ data: list(v.unknown()) })
const productSchema = v.looseObject({ id: number })
const pageSchema = object({ data: v.looseObject({ id: number }) })
const offerSchema = object({
  wholesalePrice: v.pipe(
    number,
    v.minValue(0, 'must not be negative'),
    v.maxValue(1e11, 'is too large'),
    v.check(hasTwoDecimals, 'must have at most two decimals'),
  ),
  currency,
  inStock: v.boolean('must be true or false'),
  // Of the family only some tell it.
  stock: v.fallback(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0))), null),
})

/**
 * The cost and stock of these skus in the upstream's catalog: its games, then the products of each, one request after
 * the other, until all skus are found. A 429 is waited for once, as long as it asks and a minute at most. Where a
 * request fails there is no list at all: missing skus would look out of stock. A product that makes no sense is a
 * problem of its sku alone. The upstream's lists have no texts, so those of `skusForTexts` take a request each.
 */
export async function listOffers(
  request: Ask,
  skus: readonly string[],
  _access: unknown,
  signal: AbortSignal | undefined,
  skusForTexts: readonly string[] = [],
): Promise<Listing> {
  const wanted = new Set(skus.map(productIdOf).filter((id) => id !== undefined))
  if (wanted.size === 0) return { ok: true, offers: [] }
  const ask = askWithOneRetry(request, signal)
  const games = await ask('/catalog/games', gamesSchema)
  if (!games.ok) return games
  const offers = new Map<number, ListedOffer | UnusableOffer>()
  for (const { slug } of games.value.data) {
    if (offers.size === wanted.size) break
    const products = await ask(`/catalog/games/${slug}/products`, productsSchema)
    if (!products.ok) return products
    for (const product of products.value.data) {
      if (v.is(productSchema, product) && wanted.has(product.id)) offers.set(product.id, offerOf(product.id, product))
    }
  }
  for (const id of new Set(skusForTexts.map(productIdOf))) {
    const offer = id === undefined ? undefined : offers.get(id)
    if (offer === undefined || 'problem' in offer) continue
    const page = readListed(pageSchema, await request({ path: `/catalog/products/${id}` }))
    // Not all of the family have this page. A list without texts is complete.
    if (!page.ok) break
    const texts = page.value.data.id === id ? readShopTexts(page.value.data.texts) : undefined
    if (texts !== undefined) offer.texts = texts
  }
  return { ok: true, offers: [...offers.values()] }
}

function offerOf(id: number, product: object): ListedOffer | UnusableOffer {
  const sku = String(id)
  const offer = readValue(offerSchema, product)
  if (!offer.ok) return { sku, problem: offer.problem }
  const { wholesalePrice, currency, inStock, stock } = offer.value
  return { sku, cost: wholesalePrice.toFixed(2), currency, stock: inStock ? stock || null : 0 }
}

/** Sends requests and reads their answers by a schema. After the first 429 it waits and sends the request once more. */
function askWithOneRetry(request: Ask, signal?: AbortSignal) {
  let mayWait = true
  return async function ask<Schema extends v.GenericSchema>(
    path: string,
    schema: Schema,
  ): Promise<Listed<v.InferOutput<Schema>>> {
    const exchange = await request({ path })
    const { status, retryAfter } = 'answer' in exchange ? exchange.answer : { status: null, retryAfter: null }
    const seconds = retryAfter ?? usualWaitSeconds
    if (status === 429 && mayWait && seconds <= maxWaitSeconds) {
      mayWait = false
      // If the caller ends the wait, the request reports that.
      await sleep(seconds * 1_000, undefined, { signal, ref: false }).catch(() => undefined)
      return ask(path, schema)
    }
    return readListed(schema, exchange)
  }
}
