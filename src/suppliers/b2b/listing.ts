import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'
import type { ListedOffer, Listing, SupplierAccess } from '../adapter.ts'
import { problemOf } from '../answer.ts'
import { readJsonBody } from '../body.ts'
import type { SupplierHttp } from '../exchange.ts'
import { productIdOf } from './order.ts'
import { upstreamAt } from './upstream.ts'

const gamesLimit = 1_000
const longestWaitSeconds = 60
const usualWaitSeconds = 5

const number = v.number('must be a number')
const text = v.string('must be a string')

const slug = v.pipe(text, v.regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/, 'must be a slug'))
const gamesSchema = v.object(
  {
    data: v.pipe(
      v.array(v.object({ slug }, 'must be an object'), 'must be an array'),
      v.maxLength(gamesLimit, `has more than ${gamesLimit} games`),
    ),
  },
  'must be an object',
)

const productsSchema = v.object(
  { data: v.array(v.looseObject({ id: number }, 'must be an object'), 'must be an array') },
  'must be an object',
)

const offerSchema = v.object({
  wholesalePrice: v.pipe(
    number,
    v.minValue(0, 'must not be negative'),
    v.maxValue(1e11, 'is too large'),
    v.check((price) => Number(price.toFixed(2)) === price, 'must have at most two decimals'),
  ),
  currency: v.pipe(text, v.regex(/^[A-Z]{3}$/, 'must be a currency')),
  inStock: v.boolean('must be true or false'),
})

/** The body of an answer, or why there is none, in technical terms. */
type Read = { ok: true; value: unknown } | { ok: false; error: string }
type Ask = (path: string) => Promise<Read>

/**
 * The cost and stock of these skus in the upstream's catalog: its games, then the products of each, one request after
 * the other, until all skus are found. A 429 is waited for once, as long as it asks and a minute at most. Where a
 * request fails there is no list at all: missing skus would look out of stock.
 */
export async function listOffers(
  http: SupplierHttp,
  access: SupplierAccess,
  skus: readonly string[],
  signal?: AbortSignal,
): Promise<Listing> {
  const upstream = upstreamAt(http, access)
  if (typeof upstream === 'string') return { ok: false, error: upstream }
  const wanted = new Set(skus.map(productIdOf).filter((id) => id !== undefined))
  if (wanted.size === 0) return { ok: true, offers: [] }
  return listWanted(
    withOneRetry(async (path) => {
      await access.pace?.()
      return http.withinDeadline((inTime) => upstream({ method: 'GET', path }, inTime), signal)
    }, signal),
    wanted,
  )
}

async function listWanted(ask: Ask, wanted: Set<number>): Promise<Listing> {
  const games = parse(gamesSchema, await ask('/catalog/games'))
  if (!games.ok) return games
  const offers = new Map<number, ListedOffer>()
  for (const { slug } of games.value.data) {
    if (offers.size === wanted.size) break
    const products = parse(productsSchema, await ask(`/catalog/games/${slug}/products`))
    if (!products.ok) return products
    for (const product of products.value.data.filter(({ id }) => wanted.has(id))) {
      const offer = parse(offerSchema, { ok: true, value: product })
      if (!offer.ok) return { ok: false, error: `${offer.error} (product ${product.id})` }
      const { wholesalePrice, currency, inStock } = offer.value
      const cost = wholesalePrice.toFixed(2)
      offers.set(product.id, { sku: String(product.id), cost, currency, stock: inStock ? null : 0 })
    }
  }
  return { ok: true, offers: [...offers.values()] }
}

/** Sends a request. After the first 429 of the list it waits and sends it once more. */
function withOneRetry(request: (path: string) => ReturnType<SupplierHttp['request']>, signal?: AbortSignal): Ask {
  let mayWait = true
  return async function ask(path: string): Promise<Read> {
    const exchange = await request(path)
    if (!('answer' in exchange)) return { ok: false, error: exchange.lost }
    const { status, retryAfter } = exchange.answer
    const seconds = retryAfter ?? usualWaitSeconds
    if (status === 429 && mayWait && seconds <= longestWaitSeconds) {
      mayWait = false
      // Where the caller ends the wait, the request says so.
      await sleep(seconds * 1_000, undefined, { signal, ref: false }).catch(() => undefined)
      return ask(path)
    }
    if (status !== 200) return { ok: false, error: `HTTP ${status}` }
    const read = readJsonBody(exchange.answer)
    return read.readable ? { ok: true, value: read.value } : { ok: false, error: unusable(read.problem) }
  }
}

function parse<T extends v.GenericSchema>(
  schema: T,
  read: Read,
): { ok: true; value: v.InferOutput<T> } | { ok: false; error: string } {
  if (!read.ok) return read
  const parsed = v.safeParse(schema, read.value, { abortEarly: true })
  if (parsed.success) return { ok: true, value: parsed.output }
  return { ok: false, error: unusable(problemOf(parsed.issues[0])) }
}

function unusable(problem: string): string {
  return `the answer is unusable: ${problem}`
}
