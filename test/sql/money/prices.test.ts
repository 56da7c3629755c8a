import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { lastLogged, refusals, timesLogged } from '../../support/operator.ts'
import { orderRequest, place } from '../../support/orders.ts'
import { makePartner, type Partner, products } from '../../support/partner.ts'
import { whileHeld } from '../../support/sql/locks.ts'

const { sql, operator, partner, itemOf } = itemTests({ balance: 100_000 })
const product = products.topUp

beforeAll(async () => {
  await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:10', 'other')`
})
let list: string
let counter = 0
beforeEach(async () => {
  await sql()`select ops.set_min_margin(null), ops.set_min_margin(null, ${product})`
  await sql()`delete from supply.offers where supplier = 'second'`
  await sql()`update supply.offers set cost = null, currency = null where product_id = ${product}`
  await sql()`update supply.products set price = 10.50 where id = ${product}`
  counter += 1
  list = `list ${counter}`
  await sql()`select ops.upsert_price_list(${list})`
  await sql()`select ops.set_account_list(${partner().accountId}, ${list})`
})

const discount = (value: string) => sql()`select ops.upsert_price_list(${list}, ${value})`
const setPrice = (price: number | null, minQuantity = 1, id: number = product) =>
  sql()`select ops.set_list_price(${list}, ${id}, ${price}, ${minQuantity})`
const item = (quantity = 1, productId: number = product) => ({ productId, quantity })
/** What so many units of a product cost in an order, per unit; else the refusal. */
async function paid(quantity = 1, productId: number = product, by = partner()) {
  const { result, body } = await place(sql(), by, { items: [item(quantity, productId)] })
  return result === 'created' ? (await itemOf(body.items[0]?.id ?? '')).price : result
}
async function shown(by = partner(), productId: number = product) {
  const [row] = await sql()`select api.get_product(${by.accountId}, ${productId}) as body`
  return row?.body
}
const pricesOf = async (by = partner(), productId: number | null = product) => [
  ...(await sql()`select * from ops.prices(${by.accountId}, ${productId})`),
]

describe('the price of a partner', () => {
  test('is that of the product without a list, and with a list that says nothing of it', async () => {
    const other = await makePartner(sql())
    expect([await paid(), await paid(1, product, other)]).toEqual(['10.50', '10.50'])
    expect(await pricesOf(other)).toMatchObject([{ price: '10.50', source: 'product', min_quantity: 1 }])
    expect(await pricesOf()).toMatchObject([{ price: '10.50', source: 'product' }])
  })

  test('takes the discount below the first quantity of its list', async () => {
    await discount('0.1')
    await setPrice(8, 10)
    expect([await paid(9), await paid(10)]).toEqual(['9.45', '8.00'])
    expect(await pricesOf()).toMatchObject([
      { min_quantity: 1, price: '9.45', source: 'discount' },
      { min_quantity: 10, price: '8.00', source: 'list' },
    ])
    await setPrice(null, 10)
    expect([await paid(10), (await shown()).priceTiers]).toEqual(['9.45', []])
  })

  test('is the one that caps are compared with, and that a quote shows', async () => {
    await setPrice(9)
    const request = { items: [{ ...item(2), maxPrice: 8.99 }] }
    expect(await place(sql(), partner(), request)).toMatchObject({
      result: 'PRICE_CHANGED',
      body: { details: [{ path: 'items[0].maxPrice', price: 9 }] },
    })
    expect((await place(sql(), partner(), { items: [{ ...item(2), maxPrice: 9 }] })).result).toBe('created')
    const { idempotency_key: _, ...asked } = orderRequest(partner(), { items: [item(2)] })
    const [quoted] = await sql()`select quote from api.quote_order(${sql().json(asked as never)})`
    expect(quoted?.quote).toMatchObject({ totalAmount: 18, items: [{ price: 9, total: 18 }] })
  })

  test('stays as it was in orders that were placed before', async () => {
    const { body } = await place(sql(), partner(), { items: [item(1)] })
    await setPrice(9)
    expect((await itemOf(body.items[0]?.id ?? '')).price).toBe('10.50')
  })

  test('of a list in the old currency of a product is gone with that currency', async () => {
    await sql()`select ops.upsert_product(802, 'space-trader', 'Moves', 50, 'RUB', 'key')`
    await sql()`select ops.upsert_offer(802, 'first', 'm')`
    await setPrice(40, 1, 802)
    await sql()`select ops.upsert_product(802, 'space-trader', 'Moves', 2, 'USD', 'key', allow => '{currency}')`
    const dollars = await makePartner(sql(), { currency: 'USD' })
    await sql()`select ops.set_account_list(${dollars.accountId}, ${list})`
    expect(await paid(1, 802, dollars)).toBe('2.00')
  })

  test.each<[string, (currency: string) => string]>([
    [
      'upsert_product',
      (currency) => `ops.upsert_product(803, 'space-trader', 'Moves', 50, '${currency}', 'key', allow => '{currency}')`,
    ],
    [
      'load_catalog',
      (currency) =>
        `ops.load_catalog('{"products": [{"id": 803, "game_slug": "space-trader", "name": "Moves", "price": 50, "currency": "${currency}", "delivery_type": "key"}]}', '{currency}')`,
    ],
    ['apply_import', () => `ops.apply_import(allow => '{currency}')`],
  ])('that ends so by ops.%s is named by a NOTICE, and logged', async (action, call) => {
    await sql()`select ops.upsert_product(803, 'space-trader', 'Moves', 50, 'RUB', 'key', allow => '{currency}')`
    await setPrice(40, 1, 803)
    await setPrice(38.5, 10, 803)
    await operator()`insert into ops.import_products (product_id, currency) values ('803', 'EUR')`
    await expect(operator().unsafe(`select ${call('EUR').replace('{currency}', '{}')}`)).rejects.toThrow('currency: ')
    const said = await operator.noticesOf((by) => by.unsafe(`select ${call('EUR')}`))
    expect(said.join()).toContain(
      `with the old currency, 2 prices of lists end: 40.00 RUB of product 803 in ${list}, 38.50 RUB of product 803 in ${list} from 10 units on`,
    )
    const logged = await operator()`
      select detail from ops.operator_log
      where action = ${action} and subject = ${`product 803 in price list ${list}`} order by log_id`
    expect([...logged.map(({ detail }) => detail)]).toEqual([
      { price: null, before: 40, min_quantity: 1 },
      { price: null, before: 38.5, min_quantity: 10 },
    ])
    await operator.noticesOf((by) => by`select ops.discard_import()`).catch(() => {})
  })
})

test('a list for a partner is judged while its orders go on', async () => {
  const account = partner().accountId
  await whileHeld(
    sql(),
    // What is judged are products and their prices.
    (holder) => holder`lock table supply.list_prices in access exclusive mode`,
    () => operator()`select ops.set_account_list(${account}, null)`,
    async () => {
      expect(await sql()`select from supply.accounts where id = ${account} for no key update skip locked`).toHaveLength(
        1,
      )
    },
  )
  expect(await pricesOf()).toMatchObject([{ source: 'product' }])
})

test('two lists at once for a partner are given one after the other', async () => {
  const account = partner().accountId
  await operator()`select ops.upsert_price_list(${`other ${counter}`}, 0.5)`
  const given = operator.noticesOf((by) =>
    whileHeld(
      sql(),
      (holder) => holder`select ops.set_account_list(${account}, null)`,
      () => by`select ops.set_account_list(${account}, ${`other ${counter}`})`,
    ),
  )
  expect((await given).join()).toMatch(/has price list \d+ \(other \d+\) now; before: none$/)
})

describe('a price for one partner', () => {
  let other: Partner
  beforeEach(async () => {
    other = await makePartner(sql())
    await sql()`update supply.offers set cost = 8 where product_id = ${product}`
    await sql()`select ops.set_min_margin(0.1, ${product})`
    await sql()`select ops.set_list_price(${list}, ${product}, 8.5)`
  })

  test('that leaves too little makes the product unusable for him alone', async () => {
    expect([await paid(), await paid(1, product, other)]).toEqual(['PRODUCT_UNAVAILABLE', '10.50'])
    expect([(await shown()).inStock, (await shown(other)).inStock]).toEqual([false, true])
    expect(await pricesOf()).toMatchObject([{ best_cost: '8.00', margin: '0.50', unusable: 'margin below 0.1' }])
    expect(await pricesOf(other)).toMatchObject([{ best_cost: '8.00', margin: '2.50', unusable: null }])
    await sql()`select ops.set_list_price(${list}, ${product}, 8.88)`
    expect(await paid()).toBe('PRODUCT_UNAVAILABLE')
    await sql()`select ops.set_list_price(${list}, ${product}, 8.89)`
    expect(await paid()).toBe('8.89')
  })

  test('sends his items to an offer that leaves enough, also the next one', async () => {
    await sql()`select ops.upsert_offer(${product}, 'second', 's', 7, 200)`
    const suppliers = async (by: Partner) =>
      (await itemOf((await place(sql(), by, { items: [item()] })).body.items[0]?.id ?? '')).supplier
    expect([await suppliers(partner()), await suppliers(other)]).toEqual(['second', 'first'])
    const next = async (by: Partner) => {
      const { body } = await place(sql(), by, { items: [item()] })
      const [row] = await sql()`
        select (core.next_offer(i, false)).supplier from supply.order_items i where i.id = ${body.items[0]?.id ?? ''}`
      return row?.supplier
    }
    expect([await next(partner()), await next(other)]).toEqual([null, 'second'])
  })

  test('shows as changed when an offer gets too expensive for it, and for no other price', async () => {
    const reset = () => sql()`update supply.products set updated_at = '2020-01-01' where id = ${product}`
    const isNew = async () => {
      const [row] = await sql()`select updated_at > '2020-01-02' as is_new from supply.products where id = ${product}`
      return row?.is_new
    }
    await sql()`update supply.list_prices set price = null`
    await sql()`update supply.price_lists set discount = 0`
    await sql()`select ops.set_list_price(${list}, ${product}, 9)`
    for (const [cost, is] of [
      [8.1, false],
      [8.11, true],
      [9.45, false],
      [9.46, true],
      [8.1, true],
    ] as const) {
      await reset()
      await sql()`select ops.upsert_offer(${product}, 'first', 'sku-101', ${cost}, allow => '{below_cost}')`
      expect([cost, await isNew()]).toEqual([cost, is])
    }
  })
})

describe('what changed since a time', () => {
  const since = async (at: string, by = partner()): Promise<number[]> => {
    const [row] = await sql()`select api.list_catalog(${by.accountId}, 100, ${at}) as page`
    return row?.page.products.map(({ id }: { id: number }) => id)
  }
  const gamesSince = async (at: string, by = partner()) => {
    const [row] = await sql()`select api.list_games(${by.accountId}, ${at}) as games`
    return row?.games.length
  }
  const newest = async (by = partner()) => {
    const [row] = await sql()`select api.list_catalog(${by.accountId}, 100) as page`
    const times = row?.page.products.map(({ updatedAt }: { updatedAt: string }) => updatedAt)
    return new Date(Date.parse(times.sort().at(-1)) + 1).toISOString()
  }
  const all = [101, 102, 103, 104]

  test('has all products after a discount or the assignment of a list, and one after a single price', async () => {
    const other = await makePartner(sql())
    for (const [change, changed] of [
      [() => setPrice(9), [product]],
      [() => setPrice(8, 10), [product]],
      [() => setPrice(null, 10), [product]],
      [() => discount('0.1'), all],
      [() => sql()`select ops.set_account_list(${partner().accountId}, null)`, all],
      [() => sql()`select ops.set_account_list(${partner().accountId}, ${list})`, all],
    ] as const) {
      const at = await newest()
      const before = await shown(partner(), product)
      expect([await since(at), await gamesSince(at)]).toEqual([[], 0])
      await change()
      expect([await since(at), await gamesSince(at)]).toEqual([changed, 1])
      expect([await since(at, other), await gamesSince(at, other)]).toEqual([[], 0])
      expect((await shown(partner(), product)).updatedAt > before.updatedAt).toBe(true)
    }
  })

  test.each([
    ['a single price', () => `ops.set_list_price('${list}', ${product}, 9)`, [product]],
    ['a discount', () => `ops.upsert_price_list('${list}', 0.2)`, all],
    ['an assignment', () => `ops.set_account_list(${partner().accountId}, null)`, all],
    ['a price of the product', () => `ops.set_price(${product}, ${10 + counter / 100})`, [product]],
  ] as const)('has %s that was made before another change and committed after it', async (_, change, changed) => {
    let at = ''
    await sql().begin(async (tx) => {
      await tx.unsafe(`select ${change()}`)
      await sql()`select ops.set_price(${products.key}, ${20 + counter / 100})`
      at = await newest()
      expect([await since(at), await gamesSince(at)]).toEqual([[], 0])
    })
    expect([await since(at), await gamesSince(at)]).toEqual([changed, 1])
  })
})

describe('operators', () => {
  test('read what they did, with the value before and after, and find it in their log', async () => {
    const account = partner().accountId
    const said = (statement: string) => operator.noticesOf((own) => own.unsafe(statement))
    const [row] = await sql()`select list_id from ops.price_lists where name = ${list}`
    const id = row?.list_id
    expect(await said(`select ops.upsert_price_list('gold ${counter}', 0.05)`)).toEqual([
      expect.stringMatching(/^price list \d+ \(gold \d+\) is created: discount 0.05$/),
    ])
    expect(await lastLogged(sql())).toMatchObject({ action: 'upsert_price_list', detail: { discount: 0.05 } })
    expect(await said(`select ops.upsert_price_list('${list}', 0.1)`)).toEqual([
      `price list ${id} (${list}) has the discount 0.1 now; before: 0; accounts with it: 1`,
    ])
    expect(await lastLogged(sql())).toMatchObject({
      subject: `price list ${list}`,
      detail: { discount: 0.1, before: 0 },
    })
    expect(await said(`select ops.set_list_price(${id}, ${product}, 9)`)).toEqual([
      `price list ${id} (${list}): product 101 (100 credits) costs 9.00 RUB now from 1 units on; before: no price of its own`,
    ])
    expect(await said(`select ops.set_list_price('${list}', ${product}, null)`)).toEqual([
      `price list ${id} (${list}): product 101 (100 credits) has no price of its own now from 1 units on; before: 9.00`,
    ])
    expect(await said(`select ops.set_account_list(${account}, null)`)).toEqual([
      `account ${account} (A partner) has no price list now; before: ${id} (${list})`,
    ])
    expect(await lastLogged(sql())).toMatchObject({ action: 'set_account_list', detail: { list_id: null, before: id } })
    const logged = await timesLogged(sql())
    expect(await said(`select ops.set_account_list(${account}, null)`)).toEqual([
      `account ${account} (A partner) has no price list already: nothing changed`,
    ])
    await said(`select ops.upsert_price_list('${list}', 0.1)`)
    await said(`select ops.set_list_price('${list}', ${product}, null)`)
    expect(await timesLogged(sql())).toBe(logged)
  })

  test('see the lists with their accounts and products', async () => {
    await setPrice(9)
    await setPrice(8, 10)
    await setPrice(80, 1, products.expensive)
    await setPrice(null, 1, products.expensive)
    await discount('0.1')
    expect([...(await sql()`select * from ops.price_lists where name = ${list}`)]).toEqual([
      {
        list_id: expect.any(Number),
        name: list,
        discount: '0.1',
        accounts: 1,
        products: 1,
        updated_at: expect.any(Date),
      },
    ])
  })

  test.each([
    [`select ops.upsert_price_list('')`, refusals.wrongArgument],
    [`select ops.upsert_price_list(null)`, refusals.wrongArgument],
    [`select ops.upsert_price_list('17')`, refusals.wrongArgument],
    [`select ops.upsert_price_list('x', 1)`, refusals.wrongArgument],
    [`select ops.upsert_price_list('x', -0.1)`, refusals.wrongArgument],
    [`select ops.upsert_price_list('x', null)`, refusals.wrongArgument],
    [`select ops.upsert_price_list('x', 0.1234567)`, refusals.wrongArgument],
    [`select ops.upsert_price_list('x', 'NaN')`, refusals.wrongArgument],
    [`select ops.set_list_price('no such', 101, 1)`, refusals.unknown],
    [`select ops.set_list_price(null, 101, 1)`, refusals.unknown],
    [`select ops.set_list_price('list 1', 999, 1)`, refusals.unknown],
    [`select ops.set_list_price('list 1', 101, 0)`, refusals.wrongArgument],
    [`select ops.set_list_price('list 1', 101, 1.001)`, refusals.wrongArgument],
    [`select ops.set_list_price('list 1', 101, 1, 0)`, refusals.wrongArgument],
    [`select ops.set_account_list(1, 'no such')`, refusals.unknown],
    [`select ops.set_account_list(999999, 'list 1')`, refusals.unknown],
    [`select ops.upsert_price_list('x', allow => '{nonsense}')`, refusals.wrongArgument],
  ])('cannot call %s', async (statement, refusal) => {
    await expect(operator().unsafe(statement)).rejects.toMatchObject(refusal)
  })

  test('confirm a price below the cost, of a discount, a single price, or the assignment', async () => {
    await sql()`update supply.offers set cost = 8 where product_id = ${product}`
    const account = partner().accountId
    for (const [call, figures] of [
      [
        `ops.set_list_price('${list}', 101, 7.99`,
        `below_cost: product 101 (100 credits) is sold at 7.99 RUB in price list ${list}, and a unit costs 8.00 RUB at first`,
      ],
      [
        `ops.set_list_price('${list}', 101, 7.99, 10`,
        `below_cost: product 101 (100 credits) is sold at 7.99 RUB in price list ${list} from 10 units on, and a unit costs 8.00 RUB at first`,
      ],
      [
        `ops.upsert_price_list('${list}', 0.5`,
        `below_cost: product 101 (100 credits) is sold at 5.25 RUB in price list ${list}, and a unit costs 8.00 RUB at first`,
      ],
    ] as const) {
      await expect(operator().unsafe(`select ${call})`)).rejects.toMatchObject({
        ...refusals.wrongArgument,
        message: figures,
      })
    }
    expect(await paid()).toBe('10.50')
    await operator().unsafe(`select ops.upsert_price_list('cheap ${counter}', 0.5, '{below_cost}')`)
    await expect(
      operator().unsafe(`select ops.set_account_list(${account}, 'cheap ${counter}')`),
    ).rejects.toMatchObject({ message: expect.stringContaining('below_cost') })
    // Also of an account that had no list.
    const bare = await makePartner(sql())
    await expect(
      operator().unsafe(`select ops.set_account_list(${bare.accountId}, 'cheap ${counter}')`),
    ).rejects.toMatchObject({ message: expect.stringContaining('below_cost') })
    await operator().unsafe(`select ops.set_account_list(${account}, 'cheap ${counter}', '{below_cost}')`)
    expect(await paid()).toBe('5.25')
    // Another price is no change of this one.
    await operator().unsafe(`select ops.set_list_price('cheap ${counter}', 103, 90)`)
  })

  test('confirm a change of the price, the cost or a rate that puts a price of a list below the cost', async () => {
    await sql()`delete from supply.list_prices`
    await sql()`update supply.price_lists set discount = 0`
    await discount('0.1')
    await setPrice(8, 10)
    const sells = (figures: string) => ({
      message: `below_cost: product 101 (100 credits) is sold at ${figures} at first`,
    })
    const own = operator()
    const offer = (cost: number, currency = 'RUB') =>
      own`select ops.upsert_offer(${product}, 'first', 'sku-101', ${cost}, currency => ${currency})`
    await offer(7)
    await expect(offer(8.5)).rejects.toMatchObject(
      sells(`8.00 RUB in price list ${list} from 10 units on, and a unit costs 8.50 RUB`),
    )
    await expect(own`select ops.set_price(${product}, 7.70)`).rejects.toMatchObject(
      sells(`6.93 RUB in price list ${list}, and a unit costs 7.00 RUB`),
    )
    const catalog = { products: [{ id: product, price: 7.7 }] }
    const [known] = await sql()`select * from ops.products where product_id = ${product}`
    Object.assign(catalog.products[0] ?? {}, {
      ...{ game_slug: known?.game_slug, name: known?.name, currency: 'RUB', delivery_type: known?.delivery_type },
    })
    await expect(own`select ops.load_catalog(${own.json(catalog)})`).rejects.toMatchObject(
      sells(`6.93 RUB in price list ${list}, and a unit costs 7.00 RUB`),
    )
    await own`select ops.set_rate('USD', 'RUB', 7, null)`
    await offer(1, 'USD')
    await expect(own`select ops.set_rate('USD', 'RUB', 8.2, null)`).rejects.toMatchObject(
      sells(`8.00 RUB in price list ${list} from 10 units on, and a unit costs 8.20 RUB`),
    )
    await own`insert into ops.import_products (product_id, supplier, cost) values (101, 'first', 1.3)`
    expect(await own`select risk from ops.import_lines()`).toEqual([{ risk: 'below_cost' }])
    await expect(own`select ops.apply_import()`).rejects.toMatchObject({
      message: expect.stringContaining(`9.10 RUB at first`),
    })
    // What stands below the cost and does not change needs no second confirmation.
    await own`select ops.apply_import(allow => '{below_cost}')`
    await own`select ops.set_price(${product}, 10.40, '{below_cost}')`
    await own`select ops.set_list_price(${list}, ${product}, 8, 10)`
    await own`select ops.set_price(${products.key}, 21)`
  })

  test('confirm a price that differs from its old value by more than half', async () => {
    await setPrice(10)
    await expect(setPrice(4.99)).rejects.toMatchObject({
      message: `large_change: product 101 (100 credits) in price list ${list}: 10.00 → 4.99 RUB (-50 %)`,
    })
    await setPrice(5)
    await operator().unsafe(`select ops.set_list_price('${list}', 101, 10, allow => '{large_change}')`)
    expect(await paid()).toBe('10.00')
  })
})
