import { beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { lastLogged, operatorOf, refusals, timesLogged } from '../../support/operator.ts'
import { oneValue } from '../../support/sql/one_value.ts'

const database = testDatabase()
const sql = operatorOf(database)
const { noticesOf } = sql

let numbers = 0
/** A product at 132.49 RUB that supplier first offers at a cost of 119.24. */
async function newProduct({ price = 132.49, cost = 119.24 as number | null, type = 'id_only' } = {}): Promise<number> {
  numbers += 1
  const id = 1000 + numbers
  await sql()`select ops.upsert_product(${id}, 'dragon', ${`Pearls ${id}`}, ${price}, 'RUB', ${type})`
  await sql()`select ops.upsert_offer(${id}, 'first', ${`sku-${id}`}, cost => ${cost})`
  return id
}

async function newAccount(currency = 'RUB'): Promise<number> {
  numbers += 1
  return Number(await oneValue(sql()`select ops.create_account(${`Partner ${numbers}`}, currency => ${currency})`))
}

const priceOf = (product: number) =>
  oneValue<string>(sql()`select price from ops.products where product_id = ${product}`)
const costOf = (product: number, supplier = 'first') =>
  oneValue<string>(sql()`select cost from ops.offers where product_id = ${product} and supplier = ${supplier}`)
const balanceOf = (account: number) =>
  oneValue<string>(sql()`select balance from ops.accounts where account_id = ${account}`)

/** A call is refused with a text that names the risk and its figures, changes and logs nothing, and works with allow. */
async function isGuarded(call: string, words: string[], figures: string[]): Promise<void> {
  const logged = await timesLogged(sql())
  const refused = await sql()
    .unsafe(call.replace('ALLOW', `allow => '{}'`))
    .then(
      () => ({ message: 'it was not refused' }),
      (error: Error & { hint?: string }) => error,
    )
  expect(refused).toMatchObject({
    ...refusals.wrongArgument,
    hint: expect.stringContaining(`allow => '{${words.join(',')}}'`),
  })
  for (const word of words) expect(refused.message).toContain(`${word}: `)
  for (const figure of figures) expect(refused.message).toContain(figure)
  expect(refused.message.split('\n')).toHaveLength(words.length)
  expect(await timesLogged(sql())).toBe(logged)
  for (const word of words.length > 1 ? words : [])
    await expect(sql().unsafe(call.replace('ALLOW', `allow => '{${word}}'`)), word).rejects.toThrow(
      words.find((other) => other !== word) ?? '',
    )
  await sql().unsafe(call.replace('ALLOW', `allow => '{${words.join(',')}}'`))
}

beforeAll(async () => {
  await sql()`select ops.upsert_game('dragon', 'Dragon Realms')`
  for (const supplier of ['first', 'second'])
    await sql()`select ops.upsert_supplier(${supplier}, 'https://first.example', 'token')`
})

describe('a price', () => {
  test('that lost a digit is refused as a large change, and as one below the cost', async () => {
    const id = await newProduct()
    await isGuarded(
      `select ops.set_price(${id}, 13.25, ALLOW)`,
      ['below_cost', 'large_change'],
      [
        `product ${id} (Pearls ${id}) is sold at 13.25 RUB, and a unit costs 119.24 RUB at first`,
        'price 132.49 → 13.25 RUB (-90 %)',
      ],
    )
    expect(await priceOf(id)).toBe('13.25')
    expect(await lastLogged(sql())).toMatchObject({ action: 'set_price', detail: { price: 13.25, before: 132.49 } })
  })

  test('may change by a half, and not by more', async () => {
    const id = await newProduct({ price: 100, cost: 10 })
    await sql()`select ops.set_price(${id}, 150)`
    await sql()`select ops.set_price(${id}, 75)`
    await isGuarded(`select ops.set_price(${id}, 112.51, ALLOW)`, ['large_change'], ['price 75.00 → 112.51 RUB (50 %)'])
    await isGuarded(`select ops.set_price(${id}, 56.25, ALLOW)`, ['large_change'], ['112.51 → 56.25'])
  })

  test('below the cost of the offer that is used is refused, not one below the cost of another offer', async () => {
    const id = await newProduct({ price: 100, cost: 80 })
    await sql()`select ops.upsert_offer(${id}, 'second', 'x', cost => 95, priority => 200)`
    await sql()`select ops.set_price(${id}, 90)`
    await isGuarded(`select ops.set_price(${id}, 79.99, ALLOW)`, ['below_cost'], ['79.99 RUB', '80.00 RUB at first'])
  })

  test('below the cost is refused where a margin would take the product off sale', async () => {
    const id = await newProduct({ price: 100, cost: 80 })
    await sql()`select ops.set_min_margin(0.1, ${id})`
    await isGuarded(`select ops.set_price(${id}, 70, ALLOW)`, ['below_cost'], ['70.00 RUB', '80.00 RUB at first'])
  })

  test('of a product without a known cost is no risk', async () => {
    const id = await newProduct({ price: 100, cost: null })
    expect(await noticesOf((on) => on`select ops.set_price(${id}, 60)`)).toEqual([
      `product ${id} (Pearls ${id}) costs 60.00 RUB now; before: 100.00`,
    ])
  })
})

describe('ops.upsert_product', () => {
  test('refuses a large change, another currency and another delivery type, each by its word', async () => {
    const id = await newProduct({ price: 100, cost: null })
    const call = (price: number, currency: string, type: string) =>
      `select ops.upsert_product(${id}, 'dragon', 'Pearls', ${price}, '${currency}', '${type}', ALLOW)`
    await isGuarded(call(10, 'RUB', 'id_only'), ['large_change'], ['price 100.00 → 10.00 RUB (-90 %)'])
    await isGuarded(call(10, 'RUB', 'key'), ['delivery_type'], ['delivery_type id_only → key'])
    await isGuarded(call(999, 'USD', 'key'), ['currency'], ['10.00 RUB → 999.00 USD'])
    expect(await lastLogged(sql())).toMatchObject({
      detail: { price: 999, currency: 'USD', before: { price: 10, currency: 'RUB' } },
    })
  })

  test('makes a new product at any price', async () => {
    expect(
      await oneValue(sql()`select ops.upsert_product(9000, 'dragon', 'New', 100000000, 'RUB', 'key')`),
    ).toBeGreaterThan(0)
  })
})

describe('ops.upsert_offer', () => {
  test('keeps the cost, its currency and the priority that are not given', async () => {
    const id = await newProduct({ price: 500 })
    await sql()`select ops.upsert_offer(${id}, 'second', 'a', cost => 3, priority => 7, currency => 'EUR')`
    await sql()`select ops.upsert_offer(${id}, 'second', 'b')`
    const [offer] =
      await sql()`select sku, cost, priority, currency from ops.offers where product_id = ${id} and supplier = 'second'`
    expect(offer).toEqual({ sku: 'b', cost: '3.00', priority: 7, currency: 'EUR' })
    expect(await lastLogged(sql())).toMatchObject({ detail: { sku: 'b', cost: 3, priority: 7, before: { sku: 'a' } } })
  })

  test('refuses a large change of a cost, and a cost above the price', async () => {
    const id = await newProduct({ price: 100, cost: 80 })
    await isGuarded(
      `select ops.upsert_offer(${id}, 'first', 'x', 8, ALLOW)`,
      ['large_change'],
      [`product ${id} at first: cost 80.00 → 8.00 RUB (-90 %)`],
    )
    await isGuarded(
      `select ops.upsert_offer(${id}, 'first', 'x', 800, ALLOW)`,
      ['below_cost', 'large_change'],
      ['is sold at 100.00 RUB, and a unit costs 800.00 RUB at first', 'cost 8.00 → 800.00 RUB (9900 %)'],
    )
    expect(await costOf(id)).toBe('800.00')
    await sql()`select ops.upsert_offer(${id}, 'first', 'x', 700)`
  })

  test('refuses a new offer that is used first and costs more than the price', async () => {
    const id = await newProduct({ price: 100, cost: 80 })
    await sql()`select ops.upsert_offer(${id}, 'second', 'x', 120, 200)`
    await isGuarded(
      `select ops.upsert_offer(${id}, 'second', 'x', 120, 1, ALLOW)`,
      ['below_cost'],
      ['120.00 RUB at second'],
    )
  })
})

describe('ops.set_rate', () => {
  const offerInEuros = async () => {
    const id = await newProduct({ price: 100, cost: null })
    await sql()`select ops.upsert_offer(${id}, 'first', 'x', 1, currency => 'EUR')`
    return id
  }

  test('refuses a rate that lost a digit, and says the rate before', async () => {
    await offerInEuros()
    await sql()`select ops.set_rate('EUR', 'RUB', 90, null)`
    await isGuarded(
      `select ops.set_rate('EUR', 'RUB', 9, null, ALLOW)`,
      ['large_change'],
      ['1 EUR: 90 → 9 RUB (-90 %)'],
    )
    expect(await lastLogged(sql())).toMatchObject({ action: 'set_rate', detail: { rate: 9, before: { rate: 90 } } })
    expect(await noticesOf((on) => on`select ops.set_rate('EUR', 'RUB', 9.5, null)`)).toEqual([
      expect.stringMatching(
        /^1 EUR costs 9\.5 RUB now, until it is set again \(before: 9, until it is set again\); products/,
      ),
    ])
    expect(await noticesOf((on) => on`select ops.set_rate('EUR', 'RUB', 9.5, null)`)).toEqual([
      '1 EUR costs 9.5 RUB already, until it is set again: nothing changed',
    ])
  })

  test('refuses a rate by which products cost more than their price', async () => {
    const id = await newProduct({ price: 100, cost: null })
    await sql()`select ops.set_rate('GBP', 'RUB', 90, null)`
    await sql()`select ops.upsert_offer(${id}, 'first', 'x', 1, currency => 'GBP')`
    await isGuarded(
      `select ops.set_rate('GBP', 'RUB', 101, null, ALLOW)`,
      ['below_cost'],
      [`product ${id} (Pearls ${id}) is sold at 100.00 RUB, and a unit costs 101.00 RUB at first`],
    )
    await sql()`select ops.set_rate('GBP', 'RUB', 100.5, null)`
  })
})

describe('ops.load_catalog', () => {
  const catalog = (products: object[], offers: object[] = []) =>
    `select ops.load_catalog('${JSON.stringify({
      products: products.map((product) => ({
        game_slug: 'dragon',
        name: 'Pearls',
        currency: 'RUB',
        delivery_type: 'id_only',
        ...product,
      })),
      offers: offers.map((offer) => ({ supplier: 'first', sku: 'x', ...offer })),
    })}', ALLOW)`

  test('refuses the risks of all entries at once, with three of each kind and the number of the others', async () => {
    const ids: number[] = []
    for (let n = 0; n < 5; n += 1) ids.push(await newProduct({ price: 100, cost: 80 }))
    await isGuarded(
      catalog(ids.map((id) => ({ id, price: 10 }))),
      ['below_cost', 'large_change'],
      [`product ${ids[0]} (Pearls) is sold at 10.00 RUB`, 'price 100.00 → 10.00 RUB (-90 %); ', '; and 2 more'],
    )
    expect(await priceOf(ids[4] ?? 0)).toBe('10.00')
    const [entry] =
      await sql()`select action, detail from ops.operator_log where subject = ${`product ${ids[4]}`} order by log_id desc limit 1`
    expect(entry).toMatchObject({ detail: { price: 10, before: { price: 100 } } })
  })

  test('judges prices and costs that change together', async () => {
    const id = await newProduct({ price: 100, cost: 80 })
    await sql().unsafe(catalog([{ id, price: 140 }], [{ product_id: id, cost: 110 }]).replace(', ALLOW', ''))
    await isGuarded(
      catalog([{ id, price: 150 }], [{ product_id: id, cost: 160 }]),
      ['below_cost'],
      ['is sold at 150.00 RUB, and a unit costs 160.00 RUB'],
    )
  })

  test('refuses another currency, another delivery type, and a large change of a cost', async () => {
    const id = await newProduct({ price: 100, cost: null })
    await isGuarded(
      catalog([{ id, price: 100, currency: 'USD', delivery_type: 'key' }]),
      ['currency', 'delivery_type'],
      ['100.00 RUB → 100.00 USD', 'id_only → key'],
    )
    const other = await newProduct({ price: 100, cost: 80 })
    await isGuarded(
      catalog([], [{ product_id: other, cost: 20 }]),
      ['large_change'],
      ['cost 80.00 → 20.00 RUB (-75 %)'],
    )
  })
})

describe('a value of another type in a catalog', () => {
  const product = { id: 5, game_slug: 'dragon', name: 'Pearls', price: 1, currency: 'RUB', delivery_type: 'id_only' }
  test.each([
    [
      { products: [product, { ...product, id: 6, price: 'abc' }] },
      "product 2 of the catalog (id 6): price must be a number, not 'abc'",
    ],
    [{ products: [{ ...product, id: 'x' }] }, `product 1 of the catalog (id x): id must be an integer, not 'x'`],
    [
      { products: [{ ...product, in_stock: 'perhaps' }] },
      `product 1 of the catalog (id 5): in_stock must be true or false, not 'perhaps'`,
    ],
    [
      { offers: [{ product_id: 7, supplier: 'first', sku: 'x', cost: '1,5' }] },
      `offer 1 of the catalog (product_id 7): cost must be a number, not '1,5'`,
    ],
    [
      { offers: [{ product_id: 7, supplier: 'first', sku: 'x', priority: 1.5 }] },
      `offer 1 of the catalog (product_id 7): priority must be an integer, not '1.5'`,
    ],
  ])('is refused with its entry: %j', async (catalog, message) => {
    await expect(sql()`select ops.load_catalog(${sql().json(catalog)})`).rejects.toMatchObject({
      ...refusals.wrongArgument,
      message,
    })
  })
})

describe('a deposit', () => {
  test('in another currency than that of the account is refused, whatever is allowed', async () => {
    const account = await newAccount('USD')
    for (const allow of ['{}', '{currency,large_amount}'])
      await expect(sql()`select ops.deposit(${account}, 10000, 'r', 'RUB', ${allow}::text[])`).rejects.toMatchObject({
        ...refusals.wrongArgument,
        message: expect.stringMatching(/is in USD: a deposit of 10000 RUB cannot be booked there$/),
      })
    expect(await oneValue(sql()`select ops.deposit(${account}, 100, 'r', 'USD')`)).toBe('100.00')
  })

  test('with the reference of a deposit of another account is refused', async () => {
    const [one, other] = [await newAccount(), await newAccount()]
    await sql()`select ops.deposit(${one}, 500, 'Bank 7')`
    await isGuarded(
      `select ops.deposit(${other}, 500, ' bank 7 ', ALLOW)`,
      ['known_reference'],
      [`500.00 RUB was deposited with the reference 'Bank 7' for account ${one} (Partner`, `by ${sql.login} on 20`],
    )
    expect(await balanceOf(other)).toBe('500.00')
  })

  test('with the reference of an adjustment of another account is no risk', async () => {
    const [one, other] = [await newAccount(), await newAccount()]
    await sql()`select ops.adjust(${one}, 500, 'fee 7', 'a gift')`
    await sql()`select ops.deposit(${other}, 500, 'fee 7')`
  })

  test('to a closed account is refused', async () => {
    const account = await newAccount()
    await sql()`select ops.set_account_active(${account}, false)`
    await isGuarded(
      `select ops.deposit(${account}, 500, 'closed ${account}', ALLOW)`,
      ['closed_account'],
      ['is closed; its balance is 0.00 RUB'],
    )
  })
})

describe('an amount above the limit of the owner', () => {
  beforeAll(() => database.sql`select ops.set_amount_limit('CHF', 1000)`)

  test('is refused for deposits, adjustments, corrections and new partners', async () => {
    const account = await newAccount('CHF')
    const figures = ['is above the limit of 1000.00 CHF']
    await sql()`select ops.deposit(${account}, 1000, 'limit 1')`
    await isGuarded(
      `select ops.deposit(${account}, 1000000000, 'limit 2', ALLOW)`,
      ['large_amount'],
      ['1000000000.00 CHF', ...figures],
    )
    await isGuarded(`select ops.adjust(${account}, -1000.01, 'limit 3', 'x', ALLOW)`, ['large_amount'], figures)
    await isGuarded(
      `select ops.correct_deposit(${account}, 'limit 2', 1, 'x', ALLOW)`,
      ['large_amount'],
      ['999999999.00 CHF', ...figures],
    )
    await isGuarded(`select ops.onboard('Big', 1001, 'limit 4', currency => 'CHF', ALLOW)`, ['large_amount'], figures)
    await expect(sql()`select ops.onboard('Known', 10, 'limit 4', currency => 'CHF')`).rejects.toThrow(
      'known_reference: ',
    )
  })

  test('holds for the currency alone, until the owner lifts it', async () => {
    await sql()`select ops.deposit(${await newAccount('RUB')}, 1000000000, 'not francs')`
    const account = await newAccount('CHF')
    expect(await oneValue(sql()`select amount_limit from ops.money_rules where currency = 'CHF'`)).toBe('1000.00')
    await expect(sql()`select ops.set_amount_limit('CHF', null)`).rejects.toMatchObject(refusals.forbidden)
    await database.sql`select ops.set_amount_limit('CHF', null)`
    await sql()`select ops.deposit(${account}, 1000000000, 'francs')`
    expect([...(await sql()`select * from ops.money_rules where currency = 'CHF'`)]).toEqual([])
  })
})

describe('ops.correct_deposit', () => {
  test('books the difference, again from the amount that it is then, and nothing on a repeat', async () => {
    const account = await newAccount()
    const correct = (amount: number, reference = 'pay 1') =>
      oneValue<string>(sql()`select ops.correct_deposit(${account}, ${reference}, ${amount}, 'mistyped')`)
    await sql()`select ops.deposit(${account}, 1000, 'Pay 1')`
    await sql()`select ops.deposit(${account}, 7, 'of Pay 1')`
    expect(await correct(100)).toBe('107.00')
    expect(await correct(100, ' PAY 1')).toBe('107.00')
    expect(await correct(150)).toBe('157.00')
    expect(await correct(0)).toBe('7.00')
    expect(await noticesOf(() => correct(0))).toEqual([
      expect.stringContaining("the deposit 'Pay 1' is 0.00 RUB already"),
    ])
    const rows =
      await sql()`select type, amount, reference, note from ops.ledger where account_id = ${account} order by seq`
    expect(rows.slice(2)).toEqual([
      { type: 'adjustment', amount: '-900.00', reference: 'correction of Pay 1', note: 'mistyped' },
      { type: 'adjustment', amount: '50.00', reference: 'correction 2 of Pay 1', note: 'mistyped' },
      { type: 'adjustment', amount: '-150.00', reference: 'correction 3 of Pay 1', note: 'mistyped' },
    ])
    expect(await lastLogged(sql())).toMatchObject({ action: 'correct_deposit', detail: { balance: 7, before: 157 } })
  })

  test('takes a reference of the greatest length', async () => {
    const account = await newAccount()
    const reference = 'y'.repeat(200)
    await sql()`select ops.deposit(${account}, 10, ${reference})`
    await sql()`select ops.correct_deposit(${account}, ${reference}, 5, 'mistyped')`
    expect(await balanceOf(account)).toBe('5.00')
  })

  test('refuses an unknown deposit, an amount that makes no sense, and a balance below zero', async () => {
    const account = await newAccount()
    await sql()`select ops.deposit(${account}, 100, 'pay 9')`
    await sql()`select ops.adjust(${account}, -60, 'spent', 'x')`
    const correct = (reference: string, amount: number | null, note: string | null = 'x') =>
      sql()`select ops.correct_deposit(${account}, ${reference}, ${amount}, ${note})`
    await expect(correct('pay 8', 10)).rejects.toMatchObject(refusals.unknown)
    await expect(correct('spent', 10)).rejects.toMatchObject(refusals.unknown)
    for (const amount of [-1, 1.001, null])
      await expect(correct('pay 9', amount)).rejects.toMatchObject(refusals.wrongArgument)
    await expect(correct('pay 9', 10, ' ')).rejects.toMatchObject(refusals.wrongArgument)
    await expect(correct('pay 9', 10)).rejects.toMatchObject(refusals.belowZero)
    expect(await balanceOf(account)).toBe('40.00')
  })
})

test.each([
  `set_price(1, 1, allow => '{below}')`,
  `upsert_product(1, 'dragon', 'x', 1, 'RUB', 'key', allow => '{below_cost,x}')`,
  `upsert_offer(1, 'first', 'x', allow => '{null}'::text[])`,
  `set_rate('EUR', 'RUB', 90, null, array[null]::text[])`,
  `load_catalog('{}', '{x}')`,
  `deposit(1, 1, 'a', allow => '{x}')`,
  `correct_deposit(1, 'a', 1, 'b', '{x}')`,
  `adjust(1, 1, 'a', 'b', allow => '{x}')`,
  `onboard('Unknown', 1, 'unknown word', allow => '{x}')`,
])('ops.%s is refused: it does not know the word', async (call) => {
  await sql()`select ops.upsert_product(1, 'dragon', 'First', 1, 'RUB', 'key', in_stock => false)`.catch(() => {})
  await expect(sql().unsafe(`select ops.${call}`)).rejects.toMatchObject({
    ...refusals.wrongArgument,
    message: expect.stringMatching(/^allow has an unknown word: /),
    hint: 'Its words are below_cost, large_change, currency, delivery_type, large_amount, known_reference, closed_account.',
  })
})
