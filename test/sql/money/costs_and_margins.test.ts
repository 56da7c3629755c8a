import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed, renewCodes, unknown } from '../../support/items.ts'
import { refusals } from '../../support/operator.ts'
import { audit, place } from '../../support/orders.ts'
import { makePartner, products } from '../../support/partner.ts'

const { sql, order, partner, read, itemOf } = itemTests()
const coins = 300
const keys = 301
const outOfStock = failed({ errorCode: 'OUT_OF_STOCK' })

/** A new offer, in place of the one that there is; only such a one can have no cost. */
async function offer(productId: number, supplier: string, cost: number | null, priority = 1): Promise<void> {
  await sql()`delete from supply.offers where product_id = ${productId} and supplier = ${supplier}`
  await sql()`select ops.upsert_offer(${productId}, ${supplier}, 'a', ${cost}, ${priority}, allow => '{below_cost}')`
}
const items = (productId: number, quantity = 1) => ({ items: [{ productId, quantity }] })
const soldAt = (time: string, code: string) => sql()`update supply.orders set created_at = ${time} where code = ${code}`

/** What one unit of each of an order's items costs, as operators read it. */
async function costsOf(code: string): Promise<(string | null)[]> {
  const rows = await sql()`select cost from ops.order_items where order_code = ${code} order by position, part`
  return rows.map(({ cost }) => cost)
}

/** The rows of the present partner, money as numbers. */
const margins = async (from: string | null = null, to: string | null = null) => [
  ...(await sql()`
    select day::text, product_id, product, supplier, account_id::int, partner, currency, items, open_items,
      sold::float, refunded::float, cost::float, margin::float, items_without_cost, sold_without_cost::float
    from ops.margins(${from}, ${to}) where account_id = ${partner().accountId}`),
]

beforeAll(async () => {
  await sql()`select ops.upsert_product(${coins}, 'space-trader', 'Coins', 7.00, 'RUB', 'id_only', '[]')`
  await sql()`select ops.upsert_product(${keys}, 'space-trader', 'Key', 20.00, 'RUB', 'key')`
  await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:10', 'other')`
})
beforeEach(async () => {
  await offer(coins, 'first', 5.25)
  await offer(coins, 'second', 6, 2)
  await offer(keys, 'first', 12)
})

describe('an item keeps the cost of a unit', () => {
  test('from its placing, whatever the offer says later', async () => {
    const { code } = await order({
      items: [{ productId: coins, quantity: 3 }, { productId: products.key }, { productId: coins }],
    })
    await offer(coins, 'first', 99)
    expect(await costsOf(code)).toEqual(['5.25', null, '5.25'])
  })

  test('as null when the offer has no cost, and as zero when it is free', async () => {
    await offer(coins, 'first', null)
    expect(await costsOf((await order(items(coins))).code)).toEqual([null])
    await offer(coins, 'first', 0)
    expect(await costsOf((await order(items(coins))).code)).toEqual(['0.00'])
  })

  test('of the supplier that has it, and in the end of the last one', async () => {
    const { code, item } = await order(items(coins))
    await answer(sql(), item, unknown())
    expect(await costsOf(code)).toEqual(['5.25'])
    expect(await answer(sql(), item, outOfStock)).toBe('next_supplier')
    expect(await itemOf(item)).toMatchObject({ supplier: 'second', cost: '6.00' })
    expect(await answer(sql(), item, outOfStock)).toBe('settled')
    expect(await itemOf(item)).toMatchObject({ status: 'failed', supplier: 'second', cost: '6.00' })
  })

  test('as null at a next supplier whose offer has no cost', async () => {
    await offer(coins, 'second', null, 2)
    const { code, item } = await order(items(coins))
    expect(await answer(sql(), item, outOfStock)).toBe('next_supplier')
    expect(await costsOf(code)).toEqual([null])
  })

  test('in both parts when only a part is delivered', async () => {
    const { code, item } = await order(items(keys, 3))
    expect(await answer(sql(), item, completed({ codes: ['A'] }))).toBe('held')
    await sql()`select ops.settle_item(${item}, 'failed', reason => 'a test')`
    const parts = await sql()`
      select amount, status, cost from ops.order_items where order_code = ${code} order by part`
    expect([...parts]).toEqual([
      { amount: 1, status: 'completed', cost: '12.00' },
      { amount: 2, status: 'failed', cost: '12.00' },
    ])
  })
})

test('partners do not see what an item costs', async () => {
  const body = JSON.stringify(await read((await order(items(coins))).code))
  expect(body).toMatch(/"price":7\b/)
  expect(body).not.toContain('5.25')
})

describe('a margin', () => {
  test('is the price less refunds and costs', async () => {
    const { item } = await order(items(coins, 4))
    await answer(sql(), item, completed())
    const refused = await order(items(coins, 2))
    await answer(sql(), refused.item, failed())
    const part = await order(items(keys, 3))
    await renewCodes(sql())
    expect(await answer(sql(), part.item, completed({ codes: ['A'] }))).toBe('held')
    await sql()`select ops.settle_item(${part.item}, 'failed', reason => 'a test')`
    expect(await margins()).toMatchObject([
      { product_id: coins, items: 2, sold: 42, refunded: 14, cost: 21, margin: 7, items_without_cost: 0 },
      { product_id: keys, items: 2, sold: 60, refunded: 40, cost: 12, margin: 8, items_without_cost: 0 },
    ])
    expect(await audit(sql())).toEqual([])
  })

  test('counts an open item as if it will be delivered, also one that failed before its order ended', async () => {
    const { items: both } = await order({ items: [{ productId: coins }, { productId: coins }] })
    const before = { items: 2, open_items: 2, sold: 14, refunded: 0, cost: 10.5, margin: 3.5 }
    expect(await margins()).toMatchObject([before])
    await answer(sql(), both[0] ?? '', failed())
    expect(await margins()).toMatchObject([before])
    await answer(sql(), both[1] ?? '', completed())
    expect(await margins()).toMatchObject([
      { items: 2, open_items: 0, sold: 14, refunded: 7, cost: 5.25, margin: 1.75 },
    ])
  })

  test('leaves out items without a known cost, which are counted separately', async () => {
    await answer(sql(), (await order(items(coins))).item, completed())
    await offer(coins, 'first', null)
    await answer(sql(), (await order(items(coins, 3))).item, completed())
    await answer(sql(), (await order(items(coins))).item, failed())
    expect(await margins()).toMatchObject([
      {
        ...{ items: 3, sold: 35, refunded: 7, cost: 5.25, margin: 1.75 },
        ...{ items_without_cost: 1, sold_without_cost: 21 },
      },
    ])
  })

  test('shrinks by the refunds of operators for delivered items', async () => {
    const [known, unknown] = [await order(items(coins, 2)), await order(items(coins, 2))]
    await sql()`update supply.order_items set cost = null where id = ${unknown.item}`
    for (const { item } of [known, unknown]) await answer(sql(), item, completed())
    await sql()`select ops.refund_item(${known.item}, 1, 'a', 'late')`
    await sql()`select ops.refund_item(${known.item}, 2.5, 'b', 'very late')`
    await sql()`select ops.refund_item(${unknown.item}, 4, 'c', 'late')`
    expect(await margins()).toMatchObject([
      { items: 2, sold: 28, refunded: 7.5, cost: 10.5, margin: 0, items_without_cost: 1, sold_without_cost: 10 },
    ])
  })

  test('is null when no cost is known, and zero when all was refunded', async () => {
    await offer(keys, 'first', null)
    await answer(sql(), (await order(items(coins))).item, failed())
    await order(items(keys))
    expect(await margins()).toMatchObject([
      { product_id: coins, cost: 0, margin: 0, items_without_cost: 0, sold_without_cost: 0 },
      { product_id: keys, cost: null, margin: null, items_without_cost: 1, sold_without_cost: 20 },
    ])
  })
})

describe('margins are separate', () => {
  test('by product, by the supplier that had the item in the end, and by partner', async () => {
    await order(items(coins))
    await order(items(keys))
    const moved = await order(items(coins))
    await answer(sql(), moved.item, outOfStock)
    await place(sql(), await makePartner(sql(), { name: 'Another' }), items(coins))
    const of = { account_id: partner().accountId, partner: 'A partner', currency: 'RUB' }
    expect(await margins()).toMatchObject([
      { ...of, product_id: coins, product: 'Coins', supplier: 'first', margin: 1.75 },
      { ...of, product_id: coins, product: 'Coins', supplier: 'second', margin: 1 },
      { ...of, product_id: keys, product: 'Key', supplier: 'first', margin: 8 },
    ])
  })

  test('by the day of the order, in BUSINESS_TIME_ZONE', async () => {
    for (const time of [
      '2026-03-01T20:59:59Z',
      '2026-03-01T21:00:00Z',
      '2026-03-31T20:59:59.9Z',
      '2026-03-31T21:00Z',
    ]) {
      await soldAt(time, (await order(items(coins))).code)
    }
    const days = await sql().begin(async (tx) => {
      await tx`set local time zone 'Europe/Moscow'`
      await tx`select api.record_time_zone('Europe/Moscow')`
      return tx`
        select day::text, items from ops.margins('2026-03-01', '2026-04-01') where account_id = ${partner().accountId}`
    })
    expect([...days]).toEqual([
      { day: '2026-03-01', items: 1 },
      { day: '2026-03-02', items: 1 },
      { day: '2026-03-31', items: 1 },
    ])
  })
})

test('the sums are those of the ledger', async () => {
  await answer(sql(), (await order(items(coins, 2))).item, failed())
  await answer(sql(), (await order(items(keys))).item, completed({ codes: ['A'] }))
  const [row] = await sql()`
    select sum(sold)::float as sold, sum(refunded)::float as refunded,
      sum(sold - refunded - coalesce(sold_without_cost, 0) - coalesce(cost, 0) - coalesce(margin, 0))::float as rest
    from ops.margins() where account_id = ${partner().accountId}`
  const [ledger] = await sql()`
    select -sum(amount) filter (where type = 'order_charge')::float as sold,
      sum(amount) filter (where type = 'order_refund')::float as refunded
    from ops.ledger where account_id = ${partner().accountId}`
  expect(row).toEqual({ ...ledger, rest: 0 })
})

test('a period that ends before it begins is refused', async () => {
  await expect(margins('2026-04-01', '2026-03-01')).rejects.toMatchObject({
    ...refusals.wrongArgument,
    message: 'from_at must not be after to_at',
  })
})
