import postgres from 'postgres'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { operatorOf, refusals } from '../../support/operator.ts'
import { products } from '../../support/partner.ts'
import { sessionsThatWait } from '../../support/sql/locks.ts'

const database = testDatabase({ catalog: true })
const operator = operatorOf(database)
const product = products.topUp

type Line = { list?: string; product_id?: string; price?: string; min_quantity?: string }

/** Loads lines, each with columns of its own, in one transaction. Returns what the server said. */
const load = (lines: Line[]) =>
  operator.noticesOf((client) =>
    client.begin(async (transaction) => {
      for (const line of lines) await transaction`insert into ops.import_prices ${transaction(line)}`
    }),
  )
const judged = async () => [...(await operator()`select * from ops.import_lines()`)]
const apply = (options = '', sql = operator()) => sql.unsafe(`select ops.apply_import(${options}) as said`)
const prices = async () => {
  const rows = await database.sql`
    select l.name, p.product_id, p.min_quantity, p.price from supply.list_prices p
    join supply.price_lists l on l.id = p.list_id where p.price is not null order by 1, 2, 3`
  return rows.map(({ name, product_id, min_quantity, price }) => `${name} ${product_id} ${min_quantity}: ${price}`)
}

let gold: number
beforeAll(async () => {
  await database.sql`select ops.upsert_price_list('silver', 0.05)`
  const [row] = await database.sql`select ops.upsert_price_list('gold') as id`
  gold = row?.id
})
beforeEach(async () => {
  await database.sql`update supply.offers set cost = 5`
  await database.sql`delete from supply.list_prices`
  await database.sql`select ops.set_list_price('gold', ${product}, 9)`
  await database.sql`select ops.set_list_price('gold', ${product}, 8, 10)`
})

describe('a line of an import of prices', () => {
  test('means the price of its list, product and min_quantity, which is 1 where it is not given', async () => {
    const said = await load([
      { list: 'gold', product_id: '101', price: '9.10' },
      { list: String(gold), product_id: '101', price: '8', min_quantity: '10' },
      { list: ' silver ', product_id: ' 101 ', price: ' 9.90 ' },
      { list: 'gold', product_id: '102', price: '19', min_quantity: '5' },
      { list: 'gold', product_id: '103' },
      { list: 'gold', product_id: '101', price: '<none>', min_quantity: '100' },
    ])
    expect(said.at(-1)).toMatch(/^import \d+ \(prices\): 6 lines by now$/)
    const subject = { one: 'gold: 101 (100 credits)', key: 'gold: 102 (Gift key)' }
    expect(await judged()).toEqual([
      { line: 1, subject: subject.one, change: 'changed', detail: 'price 9.00 → 9.10', risk: null },
      { line: 2, subject: `${subject.one} from 10 units on`, change: 'unchanged', detail: null, risk: null },
      ...[{ line: 3, subject: 'silver: 101 (100 credits)', change: 'new', risk: null }].map((line) => ({
        ...line,
        detail: 'price none → 9.90',
      })),
      { line: 4, subject: `${subject.key} from 5 units on`, change: 'new', detail: 'price none → 19.00', risk: null },
      { line: 5, subject: 'gold: 103 (1000 credits)', change: 'wrong', detail: 'the price is missing', risk: null },
      { line: 6, subject: `${subject.one} from 100 units on`, change: 'unchanged', detail: null, risk: null },
    ])
    const before = await prices()
    await expect(apply()).rejects.toMatchObject({
      ...refusals.wrongArgument,
      message: '1 of 6 lines are wrong, such as line 5 (gold: 103 (1000 credits)): the price is missing',
    })
    expect(await prices()).toEqual(before)
    const [row] = await apply('only_valid => true')
    expect(row?.said).toMatch(/^import \d+ \(prices\): 6 lines: 2 new, 1 changed, 2 unchanged, 1 wrong and left out$/)
    expect(await prices()).toEqual(['gold 101 1: 9.10', 'gold 101 10: 8.00', 'gold 102 5: 19.00', 'silver 101 1: 9.90'])
    const logged = await operator()`
      select detail from ops.operator_log
      where action = 'apply_import' and subject = 'product 101 in price list gold'`
    expect(logged).toEqual([{ detail: { price: 9.1, before: 9, min_quantity: 1 } }])
  })

  test('removes its price by <none>, and keeps it where the price is empty', async () => {
    await load([
      { list: 'gold', product_id: '101', price: '<none>' },
      { list: 'gold', product_id: '101', price: ' ', min_quantity: '10' },
    ])
    expect((await judged()).map(({ change, detail }) => [change, detail])).toEqual([
      ['changed', 'price 9.00 → none'],
      ['unchanged', null],
    ])
    await apply()
    expect(await prices()).toEqual(['gold 101 10: 8.00'])
  })

  test.each<[string, Line, string]>([
    ['a decimal comma', { list: 'gold', product_id: '101', price: '9,5' }, "price '9,5' is no number: write 9.5"],
    ['no list', { product_id: '101', price: '9' }, 'the list is missing'],
    ['no product', { list: 'gold', price: '9' }, 'the product_id is missing'],
    ['a word as a product', { list: 'gold', product_id: 'x', price: '9' }, "product_id 'x' is no whole number"],
    ['an unknown product', { list: 'gold', product_id: '999', price: '9' }, 'there is no product 999'],
    [
      'an unknown list',
      { list: 'bronze', product_id: '101', price: '9' },
      "there is no price list 'bronze': ops.upsert_price_list creates one",
    ],
    [
      'a fraction of a kopeck',
      { list: 'gold', product_id: '101', price: '9.001' },
      'price must be above 0, at most 100000000000, with at most 2 decimals',
    ],
    [
      'a price of 0',
      { list: 'gold', product_id: '101', price: '0' },
      'price must be above 0, at most 100000000000, with at most 2 decimals',
    ],
    [
      'a quantity of 0',
      { list: 'gold', product_id: '101', price: '9', min_quantity: '0' },
      'min_quantity must be at least 1',
    ],
    [
      'a quantity that is cleared',
      { list: 'gold', product_id: '101', price: '9', min_quantity: '<none>' },
      'min_quantity cannot be cleared',
    ],
  ])('is wrong with %s', async (_, line, detail) => {
    await load([line])
    expect(await judged()).toMatchObject([{ line: 1, change: 'wrong', risk: null, detail }])
  })

  test('names its product and quantity as far as they are known, where it is wrong', async () => {
    await load([
      { list: 'gold', product_id: '999', price: '9' },
      { list: 'gold', product_id: '101', price: '9,5', min_quantity: '50' },
      { list: 'gold', product_id: '101', price: '9', min_quantity: 'many' },
    ])
    expect((await judged()).map(({ subject }) => subject)).toEqual([
      'gold: product 999',
      'gold: 101 (100 credits) from 50 units on',
      'gold: 101 (100 credits)',
    ])
  })

  test('is wrong where its price is twice in the file, however its list is named', async () => {
    await load([
      { list: 'gold', product_id: '101', price: '9' },
      { list: 'gold', product_id: '101', price: '9', min_quantity: '2' },
      { list: String(gold), product_id: '101', price: '9', min_quantity: '1' },
    ])
    expect((await judged()).map(({ change, detail }) => [change, detail])).toEqual([
      ['wrong', 'the same price is in lines 1 and 3'],
      ['new', 'price none → 9.00'],
      ['wrong', 'the same price is in lines 1 and 3'],
    ])
  })
})

test('risks stand beside each line, refuse the import, and are allowed by their words', async () => {
  await load([
    { list: 'gold', product_id: '101', price: '4.40' },
    { list: 'gold', product_id: '101', price: '4.99', min_quantity: '10' },
    { list: 'silver', product_id: '101', price: '4', min_quantity: '5' },
    { list: 'gold', product_id: '101', price: '5', min_quantity: '20' },
  ])
  expect((await judged()).map(({ risk }) => risk)).toEqual([
    'below_cost, large_change',
    'below_cost',
    'below_cost',
    null,
  ])
  await expect(apply()).rejects.toMatchObject({
    ...refusals.wrongArgument,
    message: expect.stringMatching(
      /^below_cost: product 101 \(100 credits\) is sold at 4\.00 RUB in price list silver from 5 units on, and a unit costs 5\.00 RUB at first;.*\nlarge_change: gold: 101 \(100 credits\): price 9\.00 → 4\.40 RUB \(-51 %\)$/,
    ),
  })
  expect(await prices()).toEqual(['gold 101 1: 9.00', 'gold 101 10: 8.00'])
  await expect(apply(`missing_of => 'first'`)).rejects.toMatchObject({
    ...refusals.wrongArgument,
    message: 'missing_of is for imports of products',
  })
  await apply(`allow => '{below_cost,large_change}'`)
  expect(await prices()).toHaveLength(4)
})

test('an import locks the lists and products that it changes, and compares again with what others changed', async () => {
  await load([
    { list: 'gold', product_id: '101', price: '8.50' },
    { list: 'silver', product_id: '102', price: '19' },
  ])
  await apply()
  await load([
    { list: 'gold', product_id: '101', price: '8.60' },
    { list: 'silver', product_id: '102', price: '19' },
  ])
  const session = postgres(database.url, { max: 2, onnotice: () => {} })
  let waiting: PromiseLike<unknown> | undefined
  try {
    await session.begin(async (transaction) => {
      await transaction`select from supply.price_lists where name = 'silver' for update`
      await transaction`select from supply.products where id = 102 for update`
      await transaction`select ops.set_list_price('gold', 101, 8.40)`
      waiting = operator()`select ops.apply_import()`.execute()
      await expect.poll(() => sessionsThatWait(session)).toHaveLength(1)
    })
    await waiting
  } finally {
    await session.end()
  }
  const [logged] = await operator()`
    select detail -> 'before' as before from ops.operator_log where action = 'apply_import' and subject ~ '^product 101'
    order by log_id desc limit 1`
  expect(logged?.before).toBe(8.4)
})
