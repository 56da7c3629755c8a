import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed, leaseCalls, record, unknown } from '../../support/items.ts'
import { products } from '../../support/partner.ts'

const { sql, order, itemOf } = itemTests()
const productId = 300
const outOfStock = failed({ errorCode: 'OUT_OF_STOCK' })

type Offer = { supplier?: string; cost: number | null; priority?: number }

const offer = ({ supplier = 'first', cost, priority = 1 }: Offer) =>
  sql()`select ops.upsert_offer(${productId}, ${supplier}, 'a', ${cost}, ${priority})`

/** What one unit of each of an order's items costs, as operators read it. */
async function costsOf(code: string): Promise<(string | null)[]> {
  const rows = await sql()`
    select cost from ops.order_items where order_code = ${code} order by position, part`
  return rows.map(({ cost }) => cost)
}

beforeAll(async () => {
  await sql()`select ops.upsert_product(${productId}, 'space-trader', 'Anywhere', 7.00, 'RUB', 'key')`
  await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:10', 'other')`
})
beforeEach(async () => {
  await offer({ cost: 5.25 })
  await offer({ supplier: 'second', cost: 6.1, priority: 2 })
})

describe('an item keeps the cost of a unit', () => {
  test('from its placing, whatever the offer says later', async () => {
    const items = [{ productId, quantity: 3 }, { productId: products.key }, { productId }]
    const { code } = await order({ items })
    await offer({ cost: 99 })
    expect(await costsOf(code)).toEqual(['5.25', null, '5.25'])
  })

  test('as null when the offer has no cost, and as zero when it is free', async () => {
    await offer({ cost: null })
    expect(await costsOf((await order({ items: [{ productId }] })).code)).toEqual([null])
    await offer({ cost: 0 })
    expect(await costsOf((await order({ items: [{ productId }] })).code)).toEqual(['0.00'])
  })

  test('of the supplier that has it, and in the end of the last one', async () => {
    const { code, item } = await order({ items: [{ productId }] })
    await answer(sql(), item, unknown())
    expect(await costsOf(code)).toEqual(['5.25'])
    expect(await answer(sql(), item, outOfStock)).toBe('next_supplier')
    expect(await itemOf(item)).toMatchObject({ supplier: 'second', cost: '6.10' })
    const [call] = await leaseCalls(sql(), [item])
    if (call) expect(await record(sql(), call, outOfStock)).toBe('settled')
    expect(await itemOf(item)).toMatchObject({ status: 'failed', supplier: 'second', cost: '6.10' })
  })

  test('as null at a next supplier whose offer has no cost', async () => {
    await offer({ supplier: 'second', cost: null, priority: 2 })
    const { code, item } = await order({ items: [{ productId }] })
    expect(await answer(sql(), item, outOfStock)).toBe('next_supplier')
    expect(await costsOf(code)).toEqual([null])
  })

  test('in both parts when only a part is delivered', async () => {
    const { code, item } = await order({ items: [{ productId, quantity: 3 }] })
    expect(await answer(sql(), item, completed({ codes: ['A'] }))).toBe('held')
    await sql()`select ops.settle_item(${item}, 'failed')`
    const parts = await sql()`
      select amount, status, cost from ops.order_items where order_code = ${code} order by part`
    expect([...parts]).toEqual([
      { amount: 1, status: 'completed', cost: '5.25' },
      { amount: 2, status: 'failed', cost: '5.25' },
    ])
  })
})

test('partners do not see what an item costs', async () => {
  const { code } = await order({ items: [{ productId }] })
  const [row] = await sql()`
    select api.get_order(o.account_id, o.order_code)::text as body from ops.orders o where o.order_code = ${code}`
  expect(row?.body).toContain('7.00')
  expect(row?.body).not.toContain('5.25')
})
