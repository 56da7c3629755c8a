import { beforeEach, describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed } from '../../support/items.ts'
import { place } from '../../support/orders.ts'
import { products } from '../../support/partner.ts'
import { sessionsThatWait } from '../../support/sql/locks.ts'
import { makeStock, sell } from '../../support/stock.ts'

const { sql, operator, partner, order, keys, read, itemOf, jobsOf, eventsOf } = itemTests({
  isolated: true,
  audited: true,
  balance: 10_000,
})
const load = (codes: string[], batch: string | null = null) =>
  operator()`select ops.load_codes('vault', 'v-1', ${codes}, batch => ${batch})`
const codesOf = async (code: string) =>
  (await read(code)).items.flatMap(({ cdKeys = [] }) => cdKeys.map((key: { code: string }) => key.code))
const stock = async () => {
  const [row] = await operator()`select free, sold, expired, withdrawn, unsealed, next_expiry from ops.stock`
  return row
}
const inStock = async () => {
  const [row] = await sql()`select api.get_product(${partner().accountId}, ${products.key}) ->> 'inStock' as yes`
  return row?.yes === 'true'
}

const second = 106

beforeEach(() => makeStock(sql()))

describe('an order of a product from stock', () => {
  test('gets codes in one statement, without a lease, a call or a poll', async () => {
    await load(['A', 'B', 'C'])
    const { code, item } = await keys(2, 'https://1.1.1.1/')
    expect(await sell(sql(), [item])).toEqual(['settled'])
    expect(await codesOf(code)).toEqual(['A', 'B'])
    expect(await itemOf(item)).toMatchObject({
      status: 'completed',
      lease_expires_at: null,
      sent_at: null,
      cost: '5.00',
    })
    expect(await stock()).toMatchObject({ free: 1, sold: 2 })
    expect(await eventsOf(code)).toHaveLength(1)
    const attempts = await operator()`select method, outcome, verdict, codes from ops.supplier_attempts`
    expect(attempts).toEqual([{ method: 'stock', outcome: 'completed', verdict: 'settled', codes: 0 }])
    expect((await operator()`select what from ops.order_story(${code})`).map(({ what }) => what)).toContain(
      'stock vault',
    )
    expect(await jobsOf(item)).toEqual([])
  })

  test('gets the codes that expire first first, those without an end last, and none that expired', async () => {
    const dates = [null, '2099-01-02', '2098-01-01T10:00:00Z', '2020-01-01', null, '2098-01-01T09:00:00+01:00']
    await operator().begin(async (tx) => {
      for (const [place, date] of dates.entries())
        await tx`insert into ops.import_codes (supplier, sku, code, expires_at) values ('vault', 'v-1', ${`C${place}`}, ${date})`
    })
    await operator()`select ops.apply_import()`
    expect(await stock()).toMatchObject({ free: 5, expired: 1, next_expiry: new Date('2098-01-01T08:00:00Z') })
    const { code, item } = await keys(5)
    await sell(sql(), [item])
    expect(await codesOf(code)).toEqual(['C5', 'C2', 'C1', 'C0', 'C4'])
    expect(JSON.stringify(await read(code))).toContain('"expiresAt":"2098-01-01T10:00:00Z"')
    expect(await inStock()).toBe(true)
    await sql()`select ops.remove_offer(${products.key}, 'first')`
    expect(await inStock()).toBe(false)
  })

  test('is refused where the product is no key: a code is no top-up', async () => {
    await makeStock(sql(), { productId: products.topUp })
    await sql()`select ops.remove_offer(${products.topUp}, 'first')`
    const unusable = async () =>
      (await operator()`select unusable from ops.offers where supplier = 'vault' order by product_id`).map(
        (offer) => offer.unusable,
      )
    expect(await unusable()).toEqual(['no free codes', 'no free codes'])
    await load(['A'])
    const topUp = { items: [{ productId: products.topUp, deliveryData: { gameUserId: '1' } }] }
    expect((await place(sql(), partner(), topUp)).result).toBe('PRODUCT_UNAVAILABLE')
    const [shown] = await sql()`select api.get_product(${partner().accountId}, ${products.topUp}) ->> 'inStock' as yes`
    expect(shown?.yes).toBe('false')
    expect((await unusable()).toSorted()).toEqual([null, 'our own codes are sold as type key only'].toSorted())
    expect(await inStock()).toBe(true)
  })

  test('gets codes of one sku, whichever of its products is ordered', async () => {
    await sql()`select ops.upsert_product(${second}, 'space-trader', 'Second key', 30, 'RUB', 'key')`
    await makeStock(sql(), { productId: second })
    await load(['A', 'B', 'C'])
    const [one, two] = [await order({ items: [{ productId: second }] }), await keys(2)]
    expect(await sell(sql(), [one.item, two.item])).toEqual(['settled', 'settled'])
    expect([await codesOf(one.code), await codesOf(two.code)]).toEqual([['A'], ['B', 'C']])
  })

  test('passes over the codes that another transaction has locked, and waits for none', async () => {
    await load(['A', 'B'])
    const { code, item } = await keys(1)
    const holder = await sql().reserve()
    await holder`begin`
    await holder`select from supply.stock_codes order by place limit 1 for update`
    await sql().begin(async (tx) => {
      await tx`set local lock_timeout = '1s'`
      expect(await sell(tx as never, [item])).toEqual(['settled'])
    })
    await holder`rollback`
    holder.release()
    expect(await codesOf(code)).toEqual(['B'])
  })

  test('is 422 where fewer codes are free than ordered, or goes to the next offer at once', async () => {
    await load(['A', 'B'])
    const { item } = await keys(3)
    expect((await itemOf(item)).supplier).toBe('first')
    await sql()`select ops.remove_offer(${products.key}, 'first')`
    const order = (quantity: number) => place(sql(), partner(), { items: [{ productId: products.key, quantity }] })
    expect((await order(3)).result).toBe('PRODUCT_UNAVAILABLE')
    expect((await order(2)).result).toBe('created')
  })

  test('that finds too few codes goes whole to the next offer, else it fails with OUT_OF_STOCK and is refunded', async () => {
    await load(['A', 'B', 'C'])
    const [first, second, third] = [await keys(2), await keys(2), await keys(1)]
    expect(await sell(sql(), [first.item, second.item, third.item])).toEqual(['settled', 'next_supplier', 'settled'])
    expect(await codesOf(third.code)).toEqual(['C'])
    expect(await itemOf(second.item)).toMatchObject({ supplier: 'first', tried_suppliers: ['vault'] })
    expect(await answer(sql(), second.item, completed({ codes: ['X', 'Y'] }))).toBe('settled')

    await load(['D'])
    await sql()`select ops.remove_offer(${products.key}, 'first')`
    const [fourth, fifth] = [await keys(1), await keys(1)]
    expect(await sell(sql(), [fourth.item, fifth.item])).toEqual(['settled', 'settled'])
    expect(await read(fifth.code)).toMatchObject({
      status: 'failed',
      refundedAmount: 20,
      items: [{ errorCode: 'OUT_OF_STOCK' }],
    })
  })

  test('comes to the stock from a supplier that is out of stock', async () => {
    await sql()`select ops.upsert_offer(${products.key}, 'vault', 'v-1', 5, 200)`
    await load(['A'])
    const { code, item } = await keys(1)
    expect(await answer(sql(), item, failed({ errorCode: 'OUT_OF_STOCK' }))).toBe('next_supplier')
    expect(await sell(sql(), [item])).toEqual(['settled'])
    expect(await codesOf(code)).toEqual(['A'])
  })

  test('is moved to the stock where its supplier is paused, and is sold there at once', async () => {
    await sql()`select ops.upsert_offer(${products.key}, 'vault', 'v-1', 5, 200)`
    await load(['A'])
    const { item } = await keys(1)
    await operator()`select ops.set_supplier_paused('first', 'closed')`
    expect(await sell(sql(), [item])).toEqual(['settled'])
    expect(await itemOf(item)).toMatchObject({ supplier: 'vault', status: 'completed', lease_expires_at: null })
  })

  test('costs what its codes cost, else what the offer says', async () => {
    await operator()`select ops.load_codes('vault', 'v-1', ${['A']}, cost => 3)`
    await load(['B'])
    const { item } = await keys(2)
    await sell(sql(), [item])
    expect(Number((await itemOf(item)).supplier_cost)).toBe(4)
  })

  test('has codes that are owed to the cent, also where their average is no whole cent', async () => {
    await operator()`select ops.load_codes('vault', 'v-1', ${['A', 'B']}, cost => 1)`
    await operator()`select ops.load_codes('vault', 'v-1', ${['C']}, cost => 2)`
    await sell(sql(), [(await keys(3)).item])
    expect(await operator()`select units, cost from ops.payables() where supplier = 'vault'`).toEqual([
      { units: '3', cost: '4.00' },
    ])
    const { accountId } = partner()
    expect(await operator()`select cost from ops.month(null) where account_id = ${accountId}`).toEqual([
      { cost: '4.00' },
    ])
    expect(await operator()`select cost from ops.margins() where account_id = ${accountId}`).toEqual([{ cost: '4.00' }])
  })

  test('is sold also where a cost that somebody mistyped is too large for the currency of the product', async () => {
    await operator()`select ops.set_rate('USD', 'RUB', 90, now() + interval '1 day')`
    await operator()`select ops.upsert_offer(${products.key}, 'vault', 'v-1', 0.05, currency => 'USD')`
    await operator()`select ops.load_codes('vault', 'v-1', ${['A']}, cost => 50000000000)`
    const { item } = await keys(1)
    expect(await sell(sql(), [item])).toEqual(['settled'])
    expect(await itemOf(item)).toMatchObject({ cost: null, supplier_cost: expect.stringMatching(/^50000000000[.]00/) })
  })
})

describe('a stock', () => {
  test('sells nothing while it is paused, and then first what waited', async () => {
    await load(['A'])
    const { code, item } = await keys(1)
    await operator()`select ops.set_supplier_paused('vault', 'counting')`
    await sql()`select ops.remove_offer(${products.key}, 'first')`
    expect(await sell(sql(), [item])).toEqual([undefined])
    await operator()`select ops.set_supplier_paused('vault', null)`
    await sql()`select work.fill_places()`
    expect(await jobsOf(item)).toHaveLength(1)
    await sell(sql(), [item])
    expect(await codesOf(code)).toEqual(['A'])
  })

  test('sells nothing from the beginning of a recovery to its end, and other pauses stay', async () => {
    await operator()`select ops.upsert_supplier('other', protocol => 'stock')`
    await operator()`select ops.set_supplier_paused('other', 'closed')`
    await load(['A'])
    const { code, item } = await keys(1)
    await operator()`select * from ops.begin_recovery('a restore')`
    expect(await sell(sql(), [item])).toEqual(['stale'])
    await sql()`select work.fill_places()`
    expect(await jobsOf(item)).toEqual([])
    await operator()`select ops.end_recovery()`
    const paused = await operator()`select code from ops.suppliers where paused_at is not null`
    expect(paused).toEqual([{ code: 'other' }])
    await sql()`select work.fill_places()`
    await sell(sql(), [item])
    expect(await codesOf(code)).toEqual(['A'])
  })

  test('sells nothing after a failover that lost work, until an operator said so', async () => {
    await load(['A'])
    const { item } = await keys(1)
    await sql()`select core.hold_calls('{item x}')`
    expect(await sell(sql(), [item])).toEqual([undefined])
    await operator()`select ops.confirm_origin()`
  })

  test('never sells a code that another supplier delivered meanwhile', async () => {
    await load(['A', 'B'])
    const other = await keys(3)
    expect(await answer(sql(), other.item, completed({ codes: ['A', 'X', 'Y'] }))).toBe('settled')
    const { code, item } = await keys(1)
    expect(await sell(sql(), [item])).toEqual(['busy'])
    expect(await jobsOf(item)).toHaveLength(1)
    expect(await sell(sql(), [item])).toEqual(['settled'])
    expect(await codesOf(code)).toEqual(['B'])
    const lines = await operator()`select what, subject from ops.attention where what = 'code duplicate'`
    expect(lines).toHaveLength(1)
  })

  test('never sells a code that an operator gave to an item meanwhile, also if he replaced it since', async () => {
    const other = await keys(2)
    expect(await answer(sql(), other.item, completed({ codes: ['X', 'Y'] }))).toBe('settled')
    await load(['A', 'B', 'C'])
    await operator()`select ops.replace_code(${other.item}, 'X', 'A', 'it does not work')`
    await operator()`select ops.replace_code(${other.item}, 'A', 'Z', 'nor does this one')`
    const { code, item } = await keys(1)
    await sell(sql(), [item])
    await sell(sql(), [item])
    expect(await codesOf(code)).toEqual(['B'])
  })

  test('never sells a code that an operator typed with blanks', async () => {
    const other = [await keys(1), await keys(1)].map(({ item }) => item)
    await answer(sql(), other[0] as string, completed({ codes: ['X'] }))
    await load(['A', 'B', 'C'])
    await operator()`select ops.replace_code(${other[0] as string}, 'X', E' A\n', 'a test')`
    await operator()`select ops.settle_item(${other[1] as string}, 'completed', '{" B"}', 'by mail')`
    const { code, item } = await keys(1)
    await sell(sql(), [item])
    await sell(sql(), [item])
    await sell(sql(), [item])
    expect(await codesOf(code)).toEqual(['C'])
  })

  test('and an operator at the same moment never give one code to two items', async () => {
    const other = await keys(1)
    await answer(sql(), other.item, completed({ codes: ['X'] }))
    await load(['A'])
    const { item } = await keys(1)
    let replaced: Promise<unknown> = Promise.resolve()
    await sql().begin(async (tx) => {
      expect(await sell(tx as never, [item])).toEqual(['settled'])
      replaced = operator()`select ops.replace_code(${other.item}, 'X', 'A', 'a test')`.then(
        () => undefined,
        (error) => error.message,
      )
      await expect.poll(() => sessionsThatWait(sql())).toHaveLength(1)
    })
    expect(await replaced).toContain('the new code is refused: this code is a code of item')
  })

  test('is marked as changed, for shops that sync, when it is sold out and when codes come', async () => {
    await sql()`select ops.remove_offer(${products.key}, 'first')`
    const updatedAt = async () => {
      const [row] = await sql()`select updated_at::text as at from supply.products where id = ${products.key}`
      return row?.at
    }
    await sql()`select work.follow_stock()`
    const empty = await updatedAt()
    await load(['A'])
    expect(await inStock()).toBe(true)
    const [{ changed } = {}] = await sql()`select work.follow_stock() as changed`
    expect(changed).toBe(1)
    const full = await updatedAt()
    expect(full > empty).toBe(true)
    expect((await sql()`select work.follow_stock() as changed`)[0]?.changed).toBe(0)
    const { item } = await keys(1)
    await sell(sql(), [item])
    expect(await inStock()).toBe(false)
    await sql()`select work.follow_stock()`
    expect((await updatedAt()) > full).toBe(true)
  })
})
