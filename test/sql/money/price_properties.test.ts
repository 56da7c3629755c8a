import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed } from '../../support/items.ts'
import { orderRequest, place } from '../../support/orders.ts'
import { makePartner, type Partner } from '../../support/partner.ts'

// What a partner pays is the same wherever it is shown, and as a model of twenty lines says.
const { sql, eventsOf } = itemTests({ audited: true })

const currencies = { RUB: 2, JPY: 0 } as const
type Currency = keyof typeof currencies
/** A product's price, the prices of its list by quantity, and its discount in millionths; amounts in smallest units. */
type Scene = {
  currency: Currency
  price: number
  discount: number
  rows: { minQuantity: number; price: number }[]
  quantities: number[]
}

const amount = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 5_000_000 }))
/** With those by which a price ends in half of the smallest unit. */
const discount = fc.oneof(
  fc.constantFrom(0, 5, 50_000, 100_000, 500_000, 999_999),
  fc.integer({ min: 0, max: 999_999 }),
)
const quantity = fc.integer({ min: 1, max: 12 })
const scene: fc.Arbitrary<Scene> = fc.record({
  currency: fc.constantFrom<Currency>('RUB', 'JPY'),
  price: amount,
  discount,
  rows: fc.uniqueArray(fc.record({ minQuantity: quantity, price: amount }), {
    maxLength: 4,
    selector: ({ minQuantity }) => minQuantity,
  }),
  quantities: fc.array(quantity, { minLength: 1, maxLength: 3 }),
})

/** The model: the unit price of so many units, in smallest units. */
function unitPrice({ price, discount, rows }: Scene, quantity: number): number {
  let best = { minQuantity: 0, price: 0 }
  for (const row of rows) if (row.minQuantity <= quantity && row.minQuantity > best.minQuantity) best = row
  if (best.minQuantity > 0) return best.price
  const millionths = BigInt(price) * BigInt(1_000_000 - discount)
  return Math.max(1, Number((millionths + 500_000n) / 1_000_000n))
}

function tiers(scene: Scene): { minQuantity: number; price: number }[] {
  const shown: { minQuantity: number; price: number }[] = []
  for (let quantity = 2; quantity <= maxQuantity; quantity += 1) {
    const price = unitPrice(scene, quantity)
    if (price !== unitPrice(scene, quantity - 1)) shown.push({ minQuantity: quantity, price })
  }
  return shown
}

const maxQuantity = 10
const products = { RUB: 901, JPY: 902 } as const
const partners = new Map<Currency, Partner>()
beforeAll(async () => {
  await sql()`select ops.upsert_price_list('random')`
  for (const currency of ['RUB', 'JPY'] as const) {
    await sql()`select ops.upsert_product(${products[currency]}, 'space-trader', ${currency}, 1, ${currency}, 'direct',
      max_quantity => ${maxQuantity})`
    await sql()`select ops.upsert_offer(${products[currency]}, 'first', ${currency})`
    const partner = await makePartner(sql(), { currency, balance: 10_000_000_000 })
    await sql()`select ops.set_account_list(${partner.accountId}, 'random')`
    partners.set(currency, partner)
  }
})

async function apply({ currency, price, discount, rows }: Scene): Promise<void> {
  const decimal = (units: number) => String(units / 10 ** currencies[currency])
  const allow = '{large_change}'
  const id = products[currency]
  await sql()`select ops.set_price(${id}, ${decimal(price)}, ${allow})`
  await sql()`select ops.upsert_price_list('random', ${discount / 1_000_000})`
  await sql()`select ops.set_list_price('random', ${id}, null, min_quantity) from supply.list_prices
    where product_id = ${id} and price is not null`
  for (const row of rows)
    await sql()`select ops.set_list_price('random', ${id}, ${decimal(row.price)}, ${row.minQuantity}, ${allow})`
}

test('a price is the same in catalog, quote, order, ledger, event and statement, and as the model says', async () => {
  await fc.assert(
    fc.asyncProperty(scene, async (scene) => {
      await apply(scene)
      const partner = partners.get(scene.currency)
      if (partner === undefined) throw new Error('no such partner')
      const id = products[scene.currency]
      const money = (units: number) => units / 10 ** currencies[scene.currency]
      const quantities = scene.quantities.map((quantity) => Math.min(quantity, maxQuantity))
      const prices = quantities.map((quantity) => money(unitPrice(scene, quantity)))
      const total = money(quantities.reduce((sum, quantity) => sum + quantity * unitPrice(scene, quantity), 0))

      const [read] = await sql()`select api.get_product(${partner.accountId}, ${id}) as body`
      expect(read?.body.wholesalePrice).toBe(money(unitPrice(scene, 1)))
      expect(read?.body.priceTiers).toEqual(tiers(scene).map((tier) => ({ ...tier, price: money(tier.price) })))
      const listed = await sql()`select min_quantity, price::float from ops.prices(${partner.accountId}, ${id})`
      expect(listed.map(({ min_quantity, price }) => [min_quantity, price])).toEqual(
        [{ minQuantity: 1, price: unitPrice(scene, 1) }, ...tiers(scene)].map((t) => [t.minQuantity, money(t.price)]),
      )

      const request = {
        items: quantities.map((quantity) => ({ productId: id, quantity })),
        callbackUrl: 'https://hooks.example/x',
      }
      const { idempotency_key: _, ...asked } = orderRequest(partner, request)
      const [quoted] = await sql()`select quote from api.quote_order(${sql().json(asked as never)})`
      const { result, body } = await place(sql(), partner, request)
      expect(result).toBe('created')
      for (const shown of [quoted?.quote, body]) {
        expect(shown.items.map(({ price }: { price: number }) => price)).toEqual(prices)
        expect(shown.totalAmount).toBe(total)
      }
      for (const { id } of body.items) await answer(sql(), id, completed())
      const [event] = await eventsOf(body.code)
      expect(JSON.parse(event?.body).data.items.map(({ price }: { price: number }) => price)).toEqual(prices)
      for (const rows of [
        await sql()`select amount::float from ops.ledger where order_code = ${body.code}`,
        await sql()`select amount::float from ops.statement(${partner.accountId}, null::timestamptz)
          where order_code = ${body.code}`,
      ])
        expect(rows.map(({ amount }) => amount)).toEqual([-total])
    }),
    { numRuns: 40 },
  )
})
