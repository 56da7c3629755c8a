import { beforeAll, describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed, type Said } from '../../support/items.ts'
import { audit } from '../../support/orders.ts'

const { sql, order, itemOf, push, alertsOf } = itemTests()
const coins = 310
const keys = 311
const items = (productId: number, quantity = 1) => ({ items: [{ productId, quantity }] })
const setRate = (rate: number, from = 'EUR') =>
  sql()`select ops.set_rate(${from}, 'RUB', ${rate}, now() + interval '1 day', allow => '{large_change}')`

beforeAll(async () => {
  await setRate(100)
  for (const [id, type] of [
    [coins, 'id_only'],
    [keys, 'key'],
  ] as const) {
    await sql()`select ops.upsert_product(${id}, 'space-trader', 'Abroad', 7.00, 'RUB', ${type})`
    await sql()`select ops.upsert_offer(${id}, 'first', 'a', 0.03, 1, 'EUR')`
  }
  await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:10', 'other')`
  await sql()`select ops.upsert_offer(${coins}, 'second', 'b', 4, 2)`
})

const costs = async (item: string) => {
  const [row] = await sql()`
    select cost::float, supplier_cost::float, supplier_currency, rate::float, offered_cost::float, offered_currency
    from ops.order_items where item_id = ${item}`
  return row
}
const asOffered = { offered_cost: null, offered_currency: null }
const inEuro = { supplier_cost: 0.03, supplier_currency: 'EUR' }

describe('what a unit costs at the supplier', () => {
  test('is kept with its currency and rate when the order chooses the offer, whatever changes later', async () => {
    const { item } = await order(items(coins))
    await setRate(120)
    await sql()`select ops.upsert_offer(${coins}, 'first', 'a', 0.04, 1, 'EUR')`
    const later = await order(items(coins))
    expect(await costs(item)).toEqual({ cost: 3, ...inEuro, rate: 100, ...asOffered })
    expect(await costs(later.item)).toEqual({ cost: 4.8, ...inEuro, supplier_cost: 0.04, rate: 120, ...asOffered })
    await setRate(100)
    await sql()`select ops.upsert_offer(${coins}, 'first', 'a', 0.03, 1, 'EUR')`
  })

  test('is that of the next supplier where the item goes to it, with a rate of 1 in the same currency', async () => {
    const { item } = await order(items(coins))
    await answer(sql(), item, failed({ errorCode: 'OUT_OF_STOCK' }))
    expect(await costs(item)).toEqual({ cost: 4, supplier_cost: 4, supplier_currency: 'RUB', rate: 1, ...asOffered })
  })

  test.each<[string, Said, object, boolean]>([
    ['the same price', { unitPrice: 0.03, currency: 'EUR' }, { cost: 3, ...inEuro, ...asOffered }, false],
    ['no currency', { unitPrice: 0.04 }, { cost: 4, supplier_cost: 0.04, offered_cost: 0.03 }, true],
    [
      'a price within 1 %',
      { unitPrice: 0.0302, currency: 'EUR' },
      { cost: 3.02, supplier_cost: 0.0302, offered_cost: 0.03 },
      false,
    ],
    [
      'the currency of the order',
      { unitPrice: 3, currency: 'RUB' },
      { cost: 3, supplier_cost: 3, supplier_currency: 'RUB', rate: 1, offered_currency: 'EUR' },
      true,
    ],
    [
      'a currency without a rate',
      { unitPrice: 5, currency: 'GBP' },
      { cost: null, supplier_cost: 5, supplier_currency: 'GBP', rate: null, offered_cost: 0.03 },
      true,
    ],
  ])('is what an answer says that it charges: %s', async (_what, said, expected, isNews) => {
    const alerts = await alertsOf('supplier_price:first')
    const { item } = await order(items(coins, 3))
    await answer(sql(), item, completed(said))
    expect(await costs(item)).toMatchObject(expected)
    expect(await alertsOf('supplier_price:first')).toBe(alerts + Number(isNews))
  })

  test('is what a push says, in both parts of a partial delivery, and nothing of an item that fails', async () => {
    const part = await order(items(keys, 3))
    await answer(sql(), part.item, { outcome: 'unknown', error: 'timeout' })
    await push('first', part.item, failed({ codes: ['A-1'], unitPrice: 0.05, currency: 'EUR' }))
    const rows = await sql()`
      select status, supplier_cost::float, offered_cost::float from ops.order_items where order_code = ${part.code}
      order by part`
    const both = { supplier_cost: 0.05, offered_cost: 0.03 }
    expect([...rows]).toEqual([
      { status: 'completed', ...both },
      { status: 'failed', ...both },
    ])
    const { item } = await order(items(coins))
    await answer(sql(), item, failed({ unitPrice: 9 }))
    expect(await costs(item)).toMatchObject({ ...inEuro, ...asOffered })
  })

  test('that differs by more than 1 % is a line of ops.attention until an operator has looked', async () => {
    await answer(sql(), (await order(items(coins))).item, completed({ unitPrice: 0.05 }))
    await sql()`select work.collect_alerts()`
    const lines = await sql()`select what, detail, remedy from ops.attention where subject = 'supplier first'`
    const line = lines.find(({ what }) => what === 'supplier price')
    expect(line?.detail).toMatch(/^supplier first charged .* EUR for a unit of item .*; its offer said /)
    await sql()`select ops.acknowledge(${/ops\.acknowledge\('([^']+)'/.exec(line?.detail)?.[1] ?? ''}, 'looked at')`
    expect(await sql()`select from ops.attention where what = 'supplier price'`).toHaveLength(0)
  })
})

describe('ops.payables', () => {
  const owed = async (month: string | null = null) => [
    ...(await sql()`
      select supplier, currency, items, units::int, cost::float, items_without_cost, zone from ops.payables(${month})
      order by supplier, currency`),
  ]
  const movedTo = async (time: string, item: string) =>
    sql()`update supply.order_items set completed_at = ${time} where id = ${item}`

  test('sums what was delivered in a month, by the end of the items, in the currencies of the suppliers', async () => {
    const deliver = async (quantity: number, at: string, said: Said = {}) => {
      const { item } = await order(items(coins, quantity))
      await answer(sql(), item, completed(said))
      await movedTo(at, item)
      return item
    }
    await deliver(2, '2025-03-01T00:00:00Z')
    await deliver(3, '2025-03-31T23:59:59.999Z', { unitPrice: 0.05 })
    await deliver(1, '2025-03-15T00:00:00Z', { unitPrice: 5, currency: 'GBP' })
    await deliver(9, '2025-02-28T23:59:59.999Z')
    await deliver(9, '2025-04-01T00:00:00Z')
    const unknown = await deliver(4, '2025-03-10T00:00:00Z')
    await sql()`update supply.order_items set supplier_cost = null where id = ${unknown}`
    const { item } = await order(items(coins, 7))
    await answer(sql(), item, failed())
    await movedTo('2025-03-15T00:00:00Z', item)
    const march = { supplier: 'first', zone: 'UTC' }
    expect(await owed('2025-03')).toEqual([
      { ...march, currency: 'EUR', items: 3, units: 9, cost: 0.21, items_without_cost: 1 },
      { ...march, currency: 'GBP', items: 1, units: 1, cost: 5, items_without_cost: 0 },
    ])
    expect((await owed()).map(({ supplier }) => supplier)).toContain('first')
    await expect(owed('2025-13')).rejects.toThrow('is no month')
    expect(await audit(sql())).toEqual([])
  })

  test('begins a month where BUSINESS_TIME_ZONE does', async () => {
    const { item } = await order(items(coins))
    await answer(sql(), item, completed())
    await movedTo('2024-06-30T21:00:00Z', item)
    await sql()`select api.record_time_zone('Europe/Moscow')`
    expect(await owed('2024-06')).toEqual([])
    expect(await owed('2024-07')).toMatchObject([{ items: 1, cost: 0.03, zone: 'Europe/Moscow' }])
    await sql()`select api.record_time_zone('UTC')`
  })

  test('agrees with the margins by the end of the items', async () => {
    const open = await order(items(coins))
    const [row] = await sql()`
      select sum(items)::int as items, sum(cost)::float as cost
      from ops.margins('2025-03-01', '2025-04-01', by => 'ended')`
    expect(row).toEqual({ items: 5, cost: 2 * 3 + 3 * 5 + 4 * 3 })
    expect(await sql()`select from ops.margins(by => 'ended') where open_items > 0`).toHaveLength(0)
    expect((await itemOf(open.item)).completed_at).toBeNull()
    await expect(sql()`select from ops.margins(by => 'sold')`).rejects.toThrow('by must be ordered or ended')
  })
})
