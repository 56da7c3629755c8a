import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { httpTests } from '../support/http_tests.ts'
import { audit, balanceOf } from '../support/orders.ts'
import { makePartner, type Partner, products } from '../support/partner.ts'
import { type Answer, withoutRequestId } from '../support/service.ts'

// A quote says what the order gets that follows it, whatever is ordered. QUOTES says how many are tried, QUOTES_SEED which.

const count = Number(process.env.QUOTES ?? 240)
const seed = Number(process.env.QUOTES_SEED ?? 1)
const lanes = 4

const { sql, post: postBy } = httpTests()

const form = 201
const single = 202
const kopeck = 203
const unoffered = 204
const asleep = 205
/** A product that changes, one for each lane. */
const changing = (lane: number) => 300 + lane

beforeAll(async () => {
  const field = (id: string, type: string, required: boolean) => ({ id, type, label: id, required })
  const fields = sql().json([
    field('name', 'text', true),
    field('level', 'number', true),
    { ...field('server', 'select', false), options: ['Europe', 'Asia'] },
  ])
  await sql()`select ops.upsert_product(${form}, 'space-trader', 'With a form', 7.77, 'RUB', 'id_only', ${fields}, max_quantity => 3)`
  await sql()`select ops.upsert_product(${single}, 'space-trader', 'One at a time', 99.99, 'RUB', 'key', max_quantity => 1)`
  await sql()`select ops.upsert_product(${kopeck}, 'space-trader', 'Very many', 0.01, 'RUB', 'id_only', '[]', max_quantity => 2147483647)`
  await sql()`select ops.upsert_product(${unoffered}, 'space-trader', 'Without an offer', 3.00, 'RUB', 'key')`
  await sql()`select ops.upsert_product(${asleep}, 'space-trader', 'Of a supplier that is off', 3.00, 'RUB', 'key')`
  await sql()`select ops.upsert_supplier('asleep', 'http://127.0.0.1:1', 't')`
  await sql()`select ops.set_supplier_active('asleep', false)`
  await sql()`select ops.upsert_offer(${asleep}, 'asleep', 'sku')`
  for (const id of [form, single, kopeck]) await sql()`select ops.upsert_offer(${id}, 'first', ${`sku-${id}`})`
})

const rarely = <T, U>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<U>, weight = 12) =>
  fc.oneof<fc.WeightedArbitrary<unknown>[]>({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd })
const among = (...values: unknown[]) => fc.constantFrom<unknown[]>(...values)

const good = among(products.topUp, products.key, products.expensive, form, single, kopeck, 300)
const bad = among(products.outOfStock, products.dollars, unoffered, asleep, 999, 0, -5, 1e15, 2 ** 60)
const player = { gameUserId: '1' }
const filledIn = { ...player, name: 'x', level: '12', server: 'Asia' }
const deliveryData = rarely(
  among(filledIn, { ...player, name: 'x', level: 3 }, { ...filledIn, extra: true }),
  rarely(
    among(undefined, null, {}, player, { ...filledIn, level: 'high', server: 'Mars' }),
    among({ gameUserId: '' }, [], 7),
  ),
  6,
)
const item = fc.record({
  productId: rarely(rarely(good, bad, 15), among('101', 1.5, null), 150),
  quantity: rarely(
    rarely(among(undefined, null, 1, 2), among(3, 4, 101, 2_147_483_647)),
    among(0, -1, 2 ** 31, '1'),
    80,
  ),
  deliveryData,
  maxPrice: rarely(rarely(among(undefined, null, 1e9), among(0, 10.49, 10.5, 19.99, 100)), among(-1, 'much'), 80),
})
const body = fc.record({
  items: rarely(
    fc.array(item, { minLength: 1, maxLength: 4 }),
    among([], null, {}, Array(51).fill({ productId: 102 })),
    40,
  ),
  callbackUrl: rarely(
    among(undefined, null, 'https://partner.example/hook'),
    among('http://10.0.0.1/', 'no url', 'ftp://partner.example', 'https://a:b@partner.example', '', '\u0000', 5),
  ),
  maxTotal: rarely(among(undefined, null, 1e9), among(0, 10.5, 50, 99.99, -1, '9')),
})
/** What is set near the total, once that is known, in kopecks beside it. */
const near = fc.record({
  balance: rarely(among(0, -1, 1, 5_000), among(50_000), 4),
  cap: rarely(among(null), among(0, -1, 1), 6),
})
const change = fc.option(fc.record({ price: among(0.01, 10.5, 4_999.99), inStock: fc.boolean() }), { freq: 2 })

type Quote = {
  items: { productId: number; productName: string; quantity: number; price: number }[]
  totalAmount: number | null
  balance: number
  balanceAfter: number | null
  currency: string
  wouldBeRefused: { status: number; code: string } | null
}

const seen = new Map<string, number>()
const post = (path: string, partner: Partner, sent: unknown) => postBy(path, JSON.stringify(sent), {}, partner)

/** What the answer to the order has to be, of the quote before it. */
function promised({ status, json }: Answer): unknown {
  if (status !== 200) return { status, json: withoutRequestId(json) }
  const { wouldBeRefused, ...quote } = json.data as Quote
  if (wouldBeRefused === null) {
    const items = quote.items.map(({ productId, productName, quantity: amount, price }) => ({
      ...{ productId, productName, amount, price },
    }))
    return { status: 201, totalAmount: quote.totalAmount, currency: quote.currency, items }
  }
  const { status: refused, ...error } = wouldBeRefused
  return { status: refused, json: { success: false, ...error } }
}

function kept({ status, json }: Answer): unknown {
  if (status !== 201) return { status, json: withoutRequestId(json) }
  const { totalAmount, currency } = json.data
  const items = (json.data as Quote).items.map((one) => {
    const { productId, productName, amount, price } = one as never
    return { productId, productName, amount, price }
  })
  return { status, totalAmount, currency, items }
}

async function setBalance(partner: Partner, wanted: number): Promise<void> {
  const delta = (Math.max(0, wanted) - (await balanceOf(sql(), partner))).toFixed(2)
  if (Number(delta) === 0) return
  await sql()`select ops.adjust(${partner.accountId}, ${delta}, ${crypto.randomUUID()}, 'near the edge')`
}

/** Quotes and then places the same, and compares. */
async function quoteAndPlace(partner: Partner, given: object, edge: { balance: unknown; cap: unknown }) {
  const { json } = await post('/b2b/orders/quote', partner, given)
  const total: unknown = json.data?.totalAmount
  const sent: { [field: string]: unknown } = { ...given }
  if (typeof total === 'number' && total < 1e9) {
    await setBalance(partner, total + Number(edge.balance) / 100)
    if (edge.cap !== null) sent.maxTotal = Math.max(0, Math.round(total * 100 + Number(edge.cap)) / 100)
  }
  const quoted = await post('/b2b/orders/quote', partner, sent)
  const placed = await post('/b2b/orders', partner, { ...sent, externalOrderId: crypto.randomUUID() })
  const what = `${placed.status} ${placed.json.code ?? ''}`
  seen.set(what, (seen.get(what) ?? 0) + 1)
  expect({ sent, answer: kept(placed) }).toEqual({ sent, answer: promised(quoted) })
  if (quoted.status !== 200) return
  const { balance, balanceAfter } = quoted.json.data as Quote
  const left = placed.status === 201 ? balanceAfter : balance
  if (!isDeepStrictEqual(await balanceOf(sql(), partner), left)) expect.fail(`not left: ${left}`)
}

async function runLane(lane: number): Promise<void> {
  const partner = await makePartner(sql(), { balance: 1000 })
  const own = changing(lane)
  const renumbered = (given: unknown): unknown =>
    JSON.parse(JSON.stringify(given), (name, value) => (name === 'productId' && value === 300 ? own : value))
  const upsert = (price: unknown, inStock: boolean) => sql()`
    select ops.upsert_product(${own}, 'space-trader', 'Changing', ${String(price)}, 'RUB', 'key', in_stock => ${inStock},
      allow => '{large_change}')`
  await upsert(1, true)
  await sql()`select ops.upsert_offer(${own}, 'first', ${`sku-${own}`})`
  await fc.assert(
    fc.asyncProperty(body, near, change, async (given, edge, changed) => {
      if (changed !== null) await upsert(changed.price, changed.inStock)
      await quoteAndPlace(partner, renumbered(given) as object, edge)
    }),
    { numRuns: Math.ceil(count / lanes), seed: seed + lane, interruptAfterTimeLimit: 3_600_000 },
  )
}

test(`${count} quotes and the orders after them agree`, { timeout: 120_000 + count * 100 }, async () => {
  await Promise.all(Array.from({ length: lanes }, (_, lane) => runLane(lane)))
  const summary = [...seen].sort(([, a], [, b]) => b - a).map(([what, times]) => `${what} ${times}`.replace(/ +/g, ' '))
  console.log(summary.join(', '))
  // A test of some answers alone would prove little.
  expect([...seen.keys()].map((what) => what.trim()).sort()).toEqual([
    '201',
    '400 DELIVERY_DATA_INVALID',
    '400 INVALID_CALLBACK_URL',
    '400 VALIDATION_ERROR',
    '402 INSUFFICIENT_BALANCE',
    '422 PRICE_CHANGED',
    '422 PRODUCT_NOT_FOUND',
    '422 PRODUCT_UNAVAILABLE',
    '422 QUANTITY_OUT_OF_RANGE',
  ])
  const [written] = await sql()`select count(*)::int as orders from supply.orders`
  expect(written?.orders).toBe(seen.get('201 '))
  expect(await audit(sql())).toEqual([])
})
