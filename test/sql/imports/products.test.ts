import fc from 'fast-check'
import postgres from 'postgres'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { operatorOf, refusals } from '../../support/operator.ts'
import { products } from '../../support/partner.ts'
import { sessionsThatWait } from '../../support/sql/locks.ts'
import { oneValue } from '../../support/sql/one_value.ts'
import { growOld } from '../../support/sql/passing_time.ts'
import { unchecked } from '../../support/sql/transactions.ts'

const database = testDatabase({ catalog: true })
const operator = operatorOf(database)
const other = operatorOf(database)

type Line = { [column: string]: string }

/** Loads lines, each with columns of its own, in one transaction. Returns what the server said. */
const load = (lines: Line[], sql = operator) =>
  sql.noticesOf((client) =>
    client.begin(async (transaction) => {
      for (const line of lines) await transaction`insert into ops.import_products ${transaction(line)}`
    }),
  )
const judged = async () => [...(await operator()`select * from ops.import_lines()`)]
const apply = (options = '') => operator().unsafe(`select ops.apply_import(${options}) as said`)
const counts = async () => {
  const [row] = await operator()`
    select lines, new, changed, unchanged, wrong, risky, state from ops.imports order by import_id desc limit 1`
  return { ...row }
}
const offerOf = async (product: number, supplier = 'nova') => {
  const [offer] = await operator()`
    select sku, cost, currency, priority, available from ops.offers
    where product_id = ${product} and supplier = ${supplier}`
  return offer === undefined ? undefined : { ...offer }
}
const productOf = async (id: number) => {
  const [product] = await operator()`select * from ops.products where product_id = ${id}`
  return product
}

beforeAll(async () => {
  await database.sql`select ops.upsert_supplier('nova', 'http://127.0.0.1:9', 'token')`
})
beforeEach(async () => {
  await database.sql`delete from supply.offers where supplier = 'nova'`
  await database.sql`delete from supply.offers where product_id > 105`
  await unchecked(database.sql, (tx) => tx`delete from supply.products where id > 105`)
  await database.sql`update supply.products set price = 10.50, region = null, currency = 'RUB' where id = 101`
  await database.sql`update supply.products set price = 20 where id = 102`
  await database.sql`select ops.upsert_offer(101, 'nova', 'coins', 8)`
  await database.sql`select ops.upsert_offer(102, 'nova', 'gift', 15, priority => 200)`
})

describe('a line of an import of products', () => {
  test('means its product_id, else the offer of its supplier and sku, else a new product', async () => {
    const said = await load([
      { product_id: '101', price: '11' },
      { supplier: 'nova', sku: 'gift', cost: '16', price: '20.00' },
      {
        supplier: 'nova',
        sku: 'new',
        game_slug: 'space-trader',
        name: 'A new key',
        price: '30',
        currency: 'RUB',
        delivery_type: 'key',
      },
      { product_id: '103', price: '100' },
      { product_id: '999', price: '1' },
    ])
    expect(said.at(-1)).toMatch(/^import \d+ \(products\): 5 lines by now$/)
    expect(await counts()).toEqual({
      ...{ lines: 5, new: 1, changed: 2, unchanged: 1, wrong: 1, risky: 0, state: 'loaded' },
    })
    expect(await judged()).toEqual([
      { line: 1, subject: '101 (100 credits)', change: 'changed', detail: 'price 10.50 → 11.00', risk: null },
      { line: 2, subject: '102 (Gift key)', change: 'changed', detail: 'cost 15.00 → 16.00', risk: null },
      ...[{ line: 3, subject: 'nova / sku new', change: 'new', risk: null }].map((line) => ({
        ...line,
        detail: 'A new key at 30.00 RUB; new offer of nova: sku new, cost not known',
      })),
      { line: 4, subject: '103 (1000 credits)', change: 'unchanged', detail: null, risk: null },
      ...[{ line: 5, subject: 'product 999', change: 'wrong', risk: null }].map((line) => ({
        ...line,
        detail: 'there is no product 999, and a new product needs game_slug, name, currency, delivery_type',
      })),
    ])
    await expect(apply()).rejects.toMatchObject({
      ...refusals.wrongArgument,
      message: /^1 of 5 lines are wrong, such as line 5/,
    })
    const [row] = await apply('only_valid => true')
    expect(row?.said).toMatch(/^import \d+ \(products\): 5 lines: 1 new, 2 changed, 1 unchanged, 1 wrong and left out$/)
    expect(await counts()).toMatchObject({ new: 1, changed: 2, wrong: 1, state: 'applied' })
    expect((await productOf(101))?.price).toBe('11.00')
    expect((await offerOf(102))?.cost).toBe('16.00')
    expect(await productOf(106)).toMatchObject({
      name: 'A new key',
      price: '30.00',
      delivery_type: 'key',
      in_stock: true,
    })
    expect(await offerOf(106)).toMatchObject({ sku: 'new', cost: null, priority: 100 })
    const [logged] = await operator()`
      select detail from ops.operator_log where action = 'apply_import' and subject = 'product 101'
      order by log_id desc limit 1`
    expect(logged?.detail).toMatchObject({ price: 11, before: { price: 10.5 } })
  })

  test('keeps what it leaves out, and <none> clears', async () => {
    await database.sql`update supply.products set region = 'EU', amount_value = 60 where id = 101`
    await load([{ product_id: ' 101 ', region: '  ', amount_value: '', price: '\u00a010.60 ' }])
    await apply()
    expect(await productOf(101)).toMatchObject({ price: '10.60', region: 'EU', amount_value: '60' })
    await load([{ product_id: '101', region: '<none>', amount_value: '<none>', supplier: 'nova', cost: '<none>' }])
    await apply()
    expect(await productOf(101)).toMatchObject({ price: '10.60', region: null, amount_value: null })
    expect(await offerOf(101)).toMatchObject({ sku: 'coins', cost: null })
  })

  test('sets and clears what shops show of a product', async () => {
    const details = { image_url: 'https://shop.example/1.png', platform: 'Steam', countries: 'DE  AT' }
    await load([{ product_id: '101', ...details }])
    await apply()
    expect(await productOf(101)).toMatchObject({ ...details, countries: ['DE', 'AT'] })
    await load([{ product_id: '101', image_url: '<none>', platform: '<none>', countries: '<none>' }])
    await apply()
    expect(await productOf(101)).toMatchObject({ image_url: null, platform: null, countries: null })
    await load([{ product_id: '101', countries: 'Germany' }])
    expect(await judged()).toMatchObject([{ change: 'wrong', detail: expect.stringContaining('countries') }])
  })

  test.each<[string, Line, RegExp]>([
    ['a decimal comma', { product_id: '101', price: '52,47' }, /^price '52,47' is no number: write 52\.47$/],
    ['separators of thousands', { product_id: '101', price: '1 289,90' }, /write 1289\.90$/],
    ['two numbers', { product_id: '101', price: '1 289' }, /^price '1 289' is no number: write 1289$/],
    ['points as separators of thousands', { product_id: '101', price: '1.289,90' }, /write 1289\.90$/],
    ['commas as separators of thousands', { product_id: '101', price: '1,289.90' }, /write 1289\.90$/],
    ['no number', { product_id: '101', price: 'NaN' }, /^price 'NaN' is no number: write it as 1234\.56$/],
    ['a number with an exponent', { product_id: '101', price: '1e3' }, /is no number/],
    ['half a product', { product_id: '101.5', price: '5' }, /^product_id '101\.5' is no whole number/],
    ['a huge number', { product_id: '99999999999', price: '5' }, /is no whole number/],
    ['no truth value', { product_id: '101', in_stock: 'perhaps' }, /^in_stock 'perhaps' must be true or false$/],
    ['a fraction of a kopeck', { product_id: '101', price: '10.555' }, /^price must be above 0, .* 2 decimals$/],
    ['a price of 0', { product_id: '101', price: '0' }, /^price must be above 0/],
    ['an unknown currency', { product_id: '101', currency: 'rub' }, /^currency must be three capital letters/],
    ['an unknown game', { product_id: '101', game_slug: 'chess' }, /^there is no game 'chess'/],
    ['an unknown supplier', { product_id: '101', supplier: 'nobody', sku: 'x' }, /^there is no supplier 'nobody'$/],
    ['a cost without a supplier', { product_id: '101', cost: '5' }, /^the supplier is missing$/],
    ['a new offer without a sku', { product_id: '103', supplier: 'nova', cost: '5' }, /^the sku at nova is missing$/],
    ['a cost below zero', { product_id: '101', supplier: 'nova', cost: '-1' }, /^cost must be from 0/],
    ['a name that is cleared', { product_id: '101', name: '<none>' }, /^name cannot be cleared$/],
    ['an unknown sku', { supplier: 'nova', sku: 'x', cost: '5' }, /^a new product needs [a-z_, ]*$/],
    ['nothing', { name: '' }, /^a new product needs game_slug, name, price, currency, delivery_type$/],
  ])('is wrong with %s', async (_, line, detail) => {
    await load([line])
    expect(await judged()).toMatchObject([
      { line: 1, change: 'wrong', risk: null, detail: expect.stringMatching(detail) },
    ])
    await expect(apply()).rejects.toMatchObject(refusals.wrongArgument)
  })

  test('is wrong where its product is twice in the file, however it is named', async () => {
    await load([
      { product_id: '101', price: '11' },
      { product_id: '102', price: '21' },
      { supplier: 'nova', sku: 'coins', cost: '9' },
      {
        supplier: 'nova',
        sku: 'x',
        game_slug: 'space-trader',
        name: 'A',
        price: '9',
        currency: 'RUB',
        delivery_type: 'key',
      },
      {
        supplier: 'nova',
        sku: 'x',
        game_slug: 'space-trader',
        name: 'B',
        price: '9',
        currency: 'RUB',
        delivery_type: 'key',
      },
    ])
    const lines = await judged()
    expect(lines.map(({ change }) => change)).toEqual(['wrong', 'changed', 'wrong', 'wrong', 'wrong'])
    expect(lines[0]?.detail).toBe('the same product is in lines 1 and 3')
    expect(lines[4]?.detail).toBe('the same product is in lines 4 and 5')
  })

  test('is wrong where its sku stands for several products, unless it names one', async () => {
    await database.sql`select ops.upsert_offer(103, 'nova', 'coins', 8)`
    await load([{ supplier: 'nova', sku: 'coins', cost: '9' }])
    expect((await judged())[0]?.detail).toBe(
      'nova offers coins for 2 products, such as 101 and 103: name the product_id',
    )
    await load([
      { product_id: '101', supplier: 'nova', sku: 'coins', cost: '9' },
      { product_id: '103', supplier: 'nova', sku: 'coins', cost: '9' },
    ])
    expect((await judged()).map(({ change }) => change)).toEqual(['changed', 'changed'])
  })
})

describe('an import', () => {
  test('is what one transaction inserts, and changes nothing before it is applied', async () => {
    const before = await productOf(101)
    const said = await operator.noticesOf(
      (sql) => sql`insert into ops.import_products (product_id, price) values (101, 11), (102, 21), (103, 'x')`,
    )
    expect(said).toEqual([
      expect.stringMatching(
        /^import \d+ \(products\): 3 lines: 0 new, 2 changed, 0 unchanged, 1 wrong\. Nothing is changed yet\.\n {9}Look: {2}select \* from ops\.import_lines\(\); {6}Apply: {2}select ops\.apply_import\(\);$/,
      ),
    ])
    expect(await productOf(101)).toEqual(before)
    await load([{ product_id: '101', price: '12' }])
    expect(await judged()).toHaveLength(1)
    await expect(
      operator().begin(async (transaction) => {
        await transaction`insert into ops.import_products (product_id, price) values (101, 13)`
        await transaction`select ops.apply_import()`
        await transaction`insert into ops.import_products (product_id, price) values (101, 14)`
        throw new Error('enough')
      }),
    ).rejects.toThrow('enough')
    expect(await judged()).toMatchObject([{ detail: 'price 10.50 → 12.00' }])
  })

  test('compares with the catalog of the moment, also when another one changed the product meanwhile', async () => {
    await load([{ product_id: '101', price: '11' }])
    const [first] = await operator()`select max(import_id)::int as id from ops.imports`
    await load([{ product_id: '101', price: '12' }])
    await apply()
    expect(await operator()`select detail from ops.import_lines(${first?.id})`).toEqual([
      { detail: 'price 12.00 → 11.00' },
    ])
    await apply(`${first?.id}`)
    expect((await productOf(101))?.price).toBe('11.00')
  })

  test('waits for another one that changes the same product, and then compares again', async () => {
    const insert = (price: string) =>
      database.sql`insert into ops.import_products (product_id, price) values (101, ${price})`
    await insert('11')
    const [first] = await database.sql`select max(import_id)::int as id from ops.imports`
    await insert('12')
    const session = postgres(database.url, { max: 1, onnotice: () => {} })
    let waiting: PromiseLike<unknown> | undefined
    await session.begin(async (transaction) => {
      await transaction`select ops.apply_import()`
      waiting = database.sql`select ops.apply_import(${first?.id})`.execute()
      await expect.poll(() => sessionsThatWait(database.sql)).toHaveLength(1)
    })
    await waiting
    await session.end()
    expect((await productOf(101))?.price).toBe('11.00')
    const logged = await operator()`
      select detail -> 'before' -> 'price' as before from ops.operator_log
      where action = 'apply_import' and subject = 'product 101' order by log_id desc limit 2`
    expect(logged.map(({ before }) => before)).toEqual([12, 10.5])
  })

  test('can be applied by its login alone, and once', async () => {
    await load([{ product_id: '101', price: '11' }])
    const [loaded] = await operator()`select import_id, operator from ops.imports order by import_id desc limit 1`
    expect(loaded?.operator).toBe(operator.login)
    await expect(other()`select ops.apply_import(${loaded?.import_id})`).rejects.toMatchObject(refusals.forbidden)
    await expect(other()`select ops.apply_import()`).rejects.toMatchObject(refusals.unknown)
    await apply()
    await expect(apply()).rejects.toMatchObject({ ...refusals.wrongState, message: /is applied already/ })
    await expect(operator()`select ops.discard_import(${loaded?.import_id})`).rejects.toMatchObject(refusals.wrongState)
    await expect(operator()`select * from ops.import_lines(0)`).rejects.toMatchObject(refusals.unknown)
  })

  test('can be discarded, and changes nothing then', async () => {
    await load([{ product_id: '101', price: '11' }])
    const [loaded] = await operator()`select import_id from ops.imports order by import_id desc limit 1`
    const said = await operator.noticesOf((sql) => sql`select ops.discard_import(${loaded?.import_id})`)
    expect(said).toEqual([
      expect.stringMatching(/^import \d+ \(products\): 1 line of \w+ are discarded: nothing changed$/),
    ])
    expect(await counts()).toMatchObject({ lines: 1, changed: 1, state: 'discarded' })
    await expect(apply()).rejects.toMatchObject(refusals.wrongState)
    expect((await productOf(101))?.price).toBe('10.50')
  })

  test('that nobody applied is removed after 7 days with its lines, and an applied one keeps its row', async () => {
    await load([{ product_id: '101', price: '11' }])
    await apply()
    await load([{ product_id: '101', price: '12' }])
    const rows = async () => {
      const [row] = await database.sql`
        select (select count(*)::int from supply.imports where state = 'applied') as applied,
          (select count(*)::int from supply.imports where state <> 'applied') as others,
          (select count(*)::int from supply.import_lines) as lines`
      return row
    }
    const remove = () => database.sql`select work.remove_old('imports', '7 days', true)`
    const before = await rows()
    await growOld(database.sql, '6 days')
    await remove()
    expect(await rows()).toEqual(before)
    await growOld(database.sql, '2 days')
    await remove()
    expect(await rows()).toEqual({ applied: before?.applied, others: 0, lines: 0 })
  })
})

describe('risks', () => {
  test('stand beside each line, refuse the import, and are allowed by their words', async () => {
    await load([
      { product_id: '101', price: '1.05' },
      { product_id: '102', price: '20.10' },
      { product_id: '103', price: '40' },
    ])
    expect((await judged()).map(({ risk }) => risk)).toEqual(['below_cost, large_change', null, 'large_change'])
    expect(await counts()).toMatchObject({ risky: 2 })
    await expect(apply()).rejects.toMatchObject({
      ...refusals.wrongArgument,
      message: expect.stringContaining('price 100.00 → 40.00 RUB (-60 %)'),
      hint: expect.stringContaining("allow => '{below_cost,large_change}'"),
    })
    await expect(apply(`allow => '{large_change}'`)).rejects.toMatchObject(refusals.wrongArgument)
    await expect(apply(`allow => '{larg_change}'`)).rejects.toMatchObject(refusals.wrongArgument)
    expect((await productOf(102))?.price).toBe('20.00')
    await apply(`allow => '{below_cost,large_change}'`)
    expect((await productOf(101))?.price).toBe('1.05')
    await database.sql`update supply.products set price = 100 where id = 103`
  })

  test('of the lines are those by which the import is refused', async () => {
    await database.sql`select ops.set_rate('USD', 'RUB', 80, now() + interval '1 day')`
    await database.sql`select ops.set_min_margin(0.1, 102)`
    const amount = fc.integer({ min: 1, max: 40 }).map(String)
    const line = (id: number, sku: string) =>
      fc
        .record(
          {
            price: amount,
            cost: fc.oneof(amount, fc.constant('<none>'), fc.constant('0.20')),
            cost_currency: fc.constantFrom('USD', 'RUB', '<none>', 'EUR'),
            currency: fc.constantFrom('RUB', 'RUB', 'USD'),
            priority: fc.constantFrom('50', '150', '300'),
          },
          { requiredKeys: [] },
        )
        .map((values): Line => ({ product_id: String(id), supplier: 'nova', sku, ...values }))
    await fc.assert(
      fc.asyncProperty(line(101, 'coins'), line(102, 'gift'), async (first, second) => {
        await load([first, second])
        const predicted = await oneValue<string[] | null>(operator()`
          select array_agg(distinct w order by w) from ops.import_lines() l, string_to_table(l.risk, ', ') as w`)
        const hint = await operator()`select ops.apply_import()`.then(
          () => '',
          (error: postgres.PostgresError) => String(error.hint),
        )
        expect(/allow => '\{(.*)\}'/.exec(hint)?.[1]?.split(',') ?? null).toEqual(predicted)
      }),
      { numRuns: 60 },
    )
    await database.sql`select ops.set_min_margin(null, 102)`
  })
})

describe('missing_of', () => {
  beforeEach(async () => {
    for (const id of [103, 104]) await database.sql`select ops.upsert_offer(${id}, 'nova', ${`s-${id}`}, 1)`
  })
  const available = async () => {
    const rows = await operator()`select product_id from ops.offers where supplier = 'nova' and available order by 1`
    return rows.map(({ product_id }) => product_id)
  }

  test('makes the other offers of the supplier unavailable, until a file has them again', async () => {
    await load([
      { supplier: 'nova', sku: 'coins', cost: '8' },
      { supplier: 'nova', sku: 'gift', cost: '15' },
      { supplier: 'nova', sku: 's-103', cost: '1' },
    ])
    await expect(apply(`missing_of => 'nova'`)).rejects.toMatchObject({
      message: 'large_change: 1 of the 4 offers of nova that are available are not in the file',
    })
    const [row] = await apply(`missing_of => 'nova', allow => '{large_change}'`)
    expect(row?.said).toMatch(/3 unchanged, 1 other offers of nova made unavailable$/)
    expect(await available()).toEqual([101, 102, 103])
    const [logged] = await operator()`
      select detail from ops.operator_log where subject = 'product 104 at nova' order by log_id desc limit 1`
    expect(logged?.detail).toMatchObject({ available: false, before: { available: true } })

    await load([{ supplier: 'nova', sku: 's-104', cost: '1' }])
    expect(await judged()).toMatchObject([{ change: 'changed', detail: 'available false → true' }])
    await apply()
    expect(await available()).toEqual([101, 102, 103, 104])
  })

  test('leaves an offer whose line is wrong', async () => {
    await load([
      { supplier: 'nova', sku: 'coins', cost: '8,5' },
      { product_id: '102', supplier: 'nova', cost: '15' },
      { supplier: 'nova', sku: 's-103', cost: '1' },
      { supplier: 'nova', sku: 's-104', cost: '1' },
    ])
    await apply(`only_valid => true, missing_of => 'nova'`)
    expect(await available()).toEqual([101, 102, 103, 104])
  })

  test('names a supplier that exists', async () => {
    await load([{ product_id: '101', price: '11' }])
    await expect(apply(`missing_of => 'nobody'`)).rejects.toMatchObject(refusals.unknown)
  })
})

test('an import locks what it changes alone', async () => {
  await load([
    { product_id: '101', price: '11' },
    { product_id: '102', price: '20' },
    { product_id: String(products.expensive), price: '100' },
  ])
  const session = postgres(database.url, { max: 1, onnotice: () => {} })
  try {
    await session.begin(async (transaction) => {
      await transaction`select from supply.products where id in (102, 103) for update`
      await operator().begin(async (own) => {
        await own`set local lock_timeout = '5s'`
        await own`select ops.apply_import()`
      })
    })
  } finally {
    await session.end()
  }
  expect((await productOf(101))?.price).toBe('11.00')
})

test('many statements of one transaction are one import, and few of them compare all lines', async () => {
  const said = await load(Array.from({ length: 40 }, (_, n) => ({ product_id: '101', price: String(n + 1) })))
  expect(said).toHaveLength(40)
  expect(said.filter((text) => text.includes('Nothing is changed yet')).length).toBeLessThan(8)
  expect(await counts()).toMatchObject({ lines: 40, wrong: 40 })
})

test('a login without the role of trade loads and applies nothing', async () => {
  const login = `support_${process.pid}`
  await database.sql.unsafe(`create role ${login} login password 'secret' in role supply_support`)
  const support = postgres(Object.assign(new URL(database.url), { username: login, password: 'secret' }).href, {
    max: 1,
  })
  try {
    await expect(support`insert into ops.import_products (product_id) values (101)`).rejects.toMatchObject(
      refusals.forbidden,
    )
    await expect(support`select ops.apply_import()`).rejects.toMatchObject(refusals.forbidden)
    expect(await support`select * from ops.import_products`).toEqual([])
    expect(await support`select name from ops.help() where name in ('import_products', 'imports')`).toEqual([
      { name: 'imports' },
    ])
  } finally {
    await support.end()
    await database.sql.unsafe(`drop role ${login}`)
  }
})
