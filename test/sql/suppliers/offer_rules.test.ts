import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { leaseCalls } from '../../support/items.ts'
import { lastLogged, refusals } from '../../support/operator.ts'
import { place } from '../../support/orders.ts'
import { products } from '../../support/partner.ts'

const { sql, order, itemOf, partner } = itemTests()
const product = products.topUp

beforeAll(async () => {
  await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:10', 'other', 'kinguin')`
})
beforeEach(async () => {
  await sql()`select ops.set_max_cost(product_id, supplier, null) from ops.offers where max_cost is not null`
  await sql()`select ops.set_min_margin(null), ops.set_min_margin(null, ${product})`
  await sql()`delete from supply.rates`
  await sql()`delete from supply.offers where supplier = 'second'`
  await sql()`select ops.upsert_offer(${product}, 'first', 'sku-101', 8)`
  await sql()`update supply.products set updated_at = '2020-01-01' where id = ${product}`
})

const offerSecond = (cost: string, currency: string | null = null, priority = 50) =>
  sql()`select ops.upsert_offer(${product}, 'second', 's-101', ${cost}, ${priority}, ${currency},
    allow => '{below_cost,large_change}')`
const rate = (value: string, until: string | null = '1 day', to = 'RUB') =>
  sql()`select ops.set_rate('EUR', ${to}, ${value}, now() + ${until}::interval,
    allow => '{below_cost,large_change}')`
async function offerOf(supplier: string) {
  const [row] = await sql()`select * from ops.offers where product_id = ${product} and supplier = ${supplier}`
  return row ?? {}
}
const unusable = async (supplier: string): Promise<string | null> => (await offerOf(supplier)).unusable
const placed = async () => itemOf((await order()).item)
const refused = async () => (await place(sql(), partner())).result
async function shown(): Promise<{ inStock: boolean; isNew: boolean }> {
  const [row] = await sql()`
    select api.get_product(${partner().accountId}, ${product}) as body, updated_at > '2020-01-02' as is_new
    from supply.products where id = ${product}`
  return { inStock: row?.body.inStock, isNew: row?.is_new }
}
const attention = async (what: string) => [
  ...(await sql()`select subject, detail, remedy from ops.attention where what = ${what}`),
]

describe('a cost in another currency', () => {
  test('needs a rate: without one its offer is not used', async () => {
    await offerSecond('0.05', 'EUR')
    expect(await offerOf('second')).toMatchObject({
      ...{ usable: false, unusable: 'no rate from EUR to RUB', product_cost: null, margin: null },
    })
    expect(await placed()).toMatchObject({ supplier: 'first', cost: '8.00' })
    await rate('90', '1 day', 'USD')
    expect(await unusable('second')).toBe('no rate from EUR to RUB')
    await rate('90')
    expect(await offerOf('second')).toMatchObject({
      ...{ usable: true, unusable: null, cost: '0.05', currency: 'EUR', product_cost: '4.50', margin: '0.5714' },
    })
    expect(await placed()).toMatchObject({ supplier: 'second', cost: '4.50' })
  })

  test('is rounded up to the cent of the product’s currency, in which the cheapest offer is chosen', async () => {
    await offerSecond('0.07', 'EUR', 100)
    await rate('114.2857142857')
    expect(await offerOf('second')).toMatchObject({ product_cost: '8.00' })
    await rate('114.2857142858')
    expect(await offerOf('second')).toMatchObject({ product_cost: '8.01' })
    expect(await placed()).toMatchObject({ supplier: 'first', cost: '8.00' })
    await rate('100.0000000001')
    expect(await placed()).toMatchObject({ supplier: 'second', cost: '7.01' })
  })

  test('is not used from the end of its rate on', async () => {
    await offerSecond('0.05', 'EUR')
    // A transaction has one time: in it the rate ends now, and a microsecond later.
    const at = async (until: string) => {
      const [row] = await sql().begin(async (tx) => {
        await tx`select ops.set_rate('EUR', 'RUB', 90, now() + ${until}::interval)`
        return tx`select unusable from ops.offers where product_id = ${product} and supplier = 'second'`
      })
      return row?.unusable
    }
    expect(await at('0')).toBe('the rate from EUR to RUB expired')
    expect(await at('1 microsecond')).toBeNull()
    expect(await at('-1 day')).toBe('the rate from EUR to RUB expired')
    expect(await placed()).toMatchObject({ supplier: 'first' })
    await sql()`select ops.set_rate('EUR', 'RUB', 90, null)`
    expect(await placed()).toMatchObject({ supplier: 'second' })
    expect([...(await sql()`select valid, valid_until, offers from ops.rates`)]).toEqual([
      { valid: true, valid_until: null, offers: 1 },
    ])
  })

  test('that is beyond all bounds does not stop orders at other suppliers', async () => {
    await offerSecond('100000000000', 'EUR')
    await rate('1000000')
    expect(await unusable('second')).toBe('cost too high')
    expect(await placed()).toMatchObject({ supplier: 'first' })
  })

  test('makes the product show as changed when its rate ends, once', async () => {
    await sql()`select ops.remove_offer(${product}, 'first')`
    await offerSecond('0.05', 'EUR')
    await rate('90')
    expect(await shown()).toEqual({ inStock: true, isNew: true })
    await sql()`update supply.rates set valid_until = now()`
    const reset = () => sql()`update supply.products set updated_at = '2020-01-01' where id = ${product}`
    await reset()
    expect(await shown()).toEqual({ inStock: false, isNew: false })
    await sql()`select work.expire_rates()`
    expect(await shown()).toEqual({ inStock: false, isNew: true })
    await reset()
    await sql()`select work.expire_rates()`
    expect(await shown()).toEqual({ inStock: false, isNew: false })
    await rate('90')
    expect(await shown()).toEqual({ inStock: true, isNew: true })
  })

  test('shows in ops.attention before its rate ends, and afterwards, with a remedy', async () => {
    await offerSecond('0.05', 'EUR')
    expect(await attention('rate missing')).toMatchObject([
      {
        subject: 'rate EUR RUB',
        detail: expect.stringMatching(/; ops\.set_rate\('EUR', 'RUB', rate, until\) sets one$/),
      },
    ])
    await rate('90.5', '2 days')
    expect(await attention('rate expires')).toEqual([])
    for (const [until, what] of [
      ['23 hours', 'rate expires'],
      ['-1 hour', 'rate expired'],
    ] as const) {
      await rate('90.5', until)
      const [told] = await attention(what)
      expect(told).toMatchObject({
        ...{ remedy: "select * from ops.rates where from_currency = 'EUR' and to_currency = 'RUB'" },
        detail: expect.stringMatching(/90\.5.*ops\.set_rate\('EUR', 'RUB', rate, until\)/),
      })
      await rate('90.5', '7 days')
      expect(await attention(what)).toEqual([])
    }
    expect(await unusable('second')).toBeNull()
  })

  test.each([
    ['eur', 'RUB', '1'],
    ['EUR', 'EUR', '1'],
    ['EUR', null, '1'],
    ['EUR', 'RUB', '0'],
    ['EUR', 'RUB', '-1'],
    ['EUR', 'RUB', null],
    ['EUR', 'RUB', '1000001'],
    ['EUR', 'RUB', '1.00000000001'],
    ['EUR', 'RUB', 'NaN'],
  ])('takes no rate from %s to %s of %s', async (from, to, value) => {
    await expect(sql()`select ops.set_rate(${from}, ${to}, ${value}, null)`).rejects.toMatchObject(
      refusals.wrongArgument,
    )
  })
})

describe('an offer is not used', () => {
  test('when its cost is above its max_cost, in the currency of the cost', async () => {
    await offerSecond('0.06', 'EUR')
    await rate('100')
    await sql()`select ops.set_max_cost(${product}, 'second', 0.05)`
    expect(await lastLogged(sql())).toMatchObject({ action: 'set_max_cost', detail: { max_cost: 0.05 } })
    expect(await unusable('second')).toBe('above max_cost')
    expect(await placed()).toMatchObject({ supplier: 'first' })
    const [told] = await attention('offer cost')
    expect(told).toMatchObject({
      ...{
        subject: 'supplier second',
        detail: expect.stringContaining(`; ops.set_max_cost(${product}, 'second', 0.06)`),
      },
    })
    await sql()`select ops.set_max_cost(${product}, 'second', 0.06)`
    expect(await attention('offer cost')).toEqual([])
    expect(await placed()).toMatchObject({ supplier: 'second', cost: '6.00' })
  })

  test('when its margin is below that of the product, or else that of all products', async () => {
    await sql()`select ops.set_min_margin(0.238)`
    expect(await unusable('first')).toBeNull()
    await sql()`select ops.set_min_margin(0.2381)`
    expect(await unusable('first')).toBe('margin below 0.2381')
    expect(await refused()).toBe('PRODUCT_UNAVAILABLE')
    expect(await shown()).toEqual({ inStock: false, isNew: true })
    await sql()`select ops.set_min_margin(0, ${product})`
    expect(await unusable('first')).toBeNull()
    await sql()`select ops.set_min_margin(0.5, ${product})`
    const [told] = await attention('offer margin')
    expect(told?.detail).toContain(`; ops.set_min_margin(0.238, ${product}) accepts that margin`)
    await sql()`select ops.set_min_margin(0.238, ${product})`
    expect(await placed()).toMatchObject({ supplier: 'first' })
    // The rule for all says that other products, whose costs are not known, are not ordered.
    expect(await attention('offer cost')).toMatchObject(Array(3).fill({ subject: 'supplier first' }))
  })

  test('when a rule needs its cost, and that is not known', async () => {
    await sql()`select ops.remove_offer(${product}, 'first')`
    await sql()`select ops.upsert_offer(${product}, 'first', 'sku-101')`
    expect(await unusable('first')).toBeNull()
    await sql()`select ops.set_max_cost(${product}, 'first', 100)`
    expect(await unusable('first')).toBe('cost not known')
    expect(await refused()).toBe('PRODUCT_UNAVAILABLE')
  })

  test('when its supplier is not active, which needs no attention', async () => {
    await sql()`select ops.set_supplier_active('second', false)`
    await offerSecond('1')
    expect(await unusable('second')).toBe('supplier inactive')
    expect(await attention('offer cost')).toEqual([])
    await sql()`select ops.set_supplier_active('second', true)`
  })

  test('and more than ten of a supplier are one line of ops.attention', async () => {
    await sql()`select ops.upsert_product(500 + n, 'space-trader', 'P' || n, 10, 'RUB', 'key') from generate_series(1, 11) n`
    await sql()`select ops.upsert_offer(500 + n, 'second', 'p' || n, 20, allow => '{below_cost}') from generate_series(1, 11) n`
    await sql()`select ops.set_min_margin(0.1, 500 + n) from generate_series(1, 11) n`
    expect(await attention('offer margin')).toMatchObject([
      { subject: 'supplier second', detail: '11 products are not ordered there because of: margin' },
    ])
    await sql()`update supply.products set in_stock = false where id > 500`
    expect(await attention('offer margin')).toEqual([])
  })
})

describe('a rule of costs', () => {
  test('is no longer checked for what was placed, and the supplier receives no higher bound', async () => {
    await offerSecond('7')
    const { item } = await order()
    await offerSecond('9')
    await sql()`select ops.set_max_cost(${product}, 'second', 8)`
    expect(await itemOf(item)).toMatchObject({ supplier: 'second', cost: '7.00' })
    expect(await leaseCalls(sql(), [item])).toMatchObject([{ supplier: 'second', unit_cost: '8.00', currency: 'RUB' }])
  })

  test('of the minimum margin bounds what the supplier receives, too, at the price that was paid and in its currency', async () => {
    const told = async (item: string) => (await leaseCalls(sql(), [item]))[0]
    await rate('100')
    await offerSecond('7')
    const items = [(await order()).item, (await order()).item, (await order()).item]
    await sql()`update supply.order_items set price = 10 where id = any(${items})`
    const [own = '', foreign = '', without = ''] = items
    await offerSecond('11')
    await sql()`select ops.set_min_margin(0.155)`
    expect(await told(own)).toMatchObject({ supplier: 'second', unit_cost: '8.45', currency: 'RUB' })
    await offerSecond('0.5', 'EUR')
    expect(await told(foreign)).toMatchObject({ supplier: 'second', unit_cost: '0.08', currency: 'EUR' })
    await sql()`select ops.set_min_margin(1)`
    // To some suppliers a cost of zero is no limit at all.
    expect(await told(without)).toMatchObject({ supplier: 'second', unit_cost: '0.01' })
  })

  test('in one currency refuses a cost of its offer in another currency', async () => {
    await offerSecond('7')
    await sql()`select ops.set_max_cost(${product}, 'second', 8)`
    await expect(offerSecond('7', 'EUR')).rejects.toMatchObject(refusals.wrongState)
    await offerSecond('7', 'RUB')
    await sql()`select ops.set_max_cost(${product}, 'second', null)`
    await offerSecond('7', 'EUR')
  })
})

describe('the stock of a product', () => {
  const seen = async () => {
    const { body } = (
      await sql()`select api.get_product(${partner().accountId}, ${product}) as body`
    )[0] as unknown as { body: { inStock: boolean; stock: number | null } }
    return [body.inStock, body.stock]
  }
  const stocks = (first: number | null, second: number | null) => sql()`
    update supply.offers set stock = case supplier when 'first' then ${first}::int else ${second}::int end
    where product_id = ${product}`

  test.each([
    [null, null, null],
    [7, null, 7],
    [7, 3, 7],
    [99, 3, 99],
    [250, 100, 100],
  ])('is the most that one of its offers has, of %s and %s: %s', async (first, second, stock) => {
    await offerSecond('8')
    await stocks(first, second)
    expect(await seen()).toEqual([true, stock])
  })

  test('is no more than one item may have', async () => {
    await stocks(50, null)
    await sql()`update supply.products set max_quantity = 20 where id = ${product}`
    expect(await seen()).toEqual([true, 20])
    await sql()`update supply.products set max_quantity = 100 where id = ${product}`
  })

  test('leaves out offers that new items may not use, and is 0 without any', async () => {
    await offerSecond('8')
    await stocks(5, 90)
    await sql()`select ops.set_max_cost(${product}, 'second', 7)`
    expect(await seen()).toEqual([true, 5])
    await sql()`select ops.set_max_cost(${product}, 'first', 7)`
    expect(await seen()).toEqual([false, 0])
  })

  test('leaves out offers that are too expensive for the price of this partner', async () => {
    await offerSecond('10')
    await stocks(5, 90)
    await sql()`select ops.set_min_margin(0.1, ${product})`
    expect(await seen()).toEqual([true, 5])
  })

  test('is 0 while the operator has taken the product out of stock', async () => {
    await stocks(5, null)
    await sql()`select ops.set_in_stock(${product}, false)`
    expect(await seen()).toEqual([false, 0])
    await sql()`select ops.set_in_stock(${product}, true)`
  })
})
