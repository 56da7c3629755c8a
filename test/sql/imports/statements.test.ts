import { beforeAll, describe, expect, test } from 'vitest'
import { itemTests } from '../../support/item_tests.ts'
import { answer, completed, failed, processing } from '../../support/items.ts'
import { refusals } from '../../support/operator.ts'

const { sql, order, operator } = itemTests()
const coins = 330
let count = 0

type Line = { [column: string]: string | number | null }
/** Loads lines as one import, and returns what the server says. */
const load = (...lines: Line[]) =>
  operator.noticesOf(
    (by) => by`insert into ops.import_supplier_statement ${by(lines.map((line) => ({ ...blank, ...line })))}`,
  )
const blank = {
  supplier: 'first',
  supplier_order_id: null,
  reference: null,
  amount: null,
  currency: null,
  status: null,
  at: null,
}
const differences = async () => [
  ...(await operator()`select kind, supplier_order_id, item_id, ours, theirs, detail, line from ops.supplier_differences()`),
]
const kinds = async () => (await differences()).map(({ kind }) => kind)
const wrong = async () => {
  const rows = await operator()`select detail from ops.import_lines() where change = 'wrong' order by line`
  return rows.map(({ detail }) => detail)
}

/** An item of two units at 5.25 EUR that its supplier ended, with the supplier's id of it. */
async function ended(result: object = completed(), at?: string) {
  count += 1
  const own = `F-${count}`
  const { item } = await order({ items: [{ productId: coins, quantity: 2 }] })
  await answer(sql(), item, { ...result, supplierOrderId: own })
  if (at !== undefined) {
    await sql()`update supply.order_items set completed_at = ${at}, sent_at = ${at} where id = ${item}`
  }
  return { item, own }
}

beforeAll(async () => {
  await sql()`select ops.set_rate('EUR', 'RUB', 1, now() + interval '1 day')`
  await sql()`select ops.upsert_product(${coins}, 'space-trader', 'Coins', 7.00, 'RUB', 'id_only', '[]')`
  await sql()`select ops.upsert_offer(${coins}, 'first', 'a', 5.25, 1, 'EUR')`
  await sql()`select ops.upsert_supplier('second', 'http://127.0.0.1:10', 'other')`
  await sql()`select ops.upsert_offer(${coins}, 'second', 'b', 6, 2)`
})

describe('a line of a statement', () => {
  test.each<[string, object, Line, string[]]>([
    ['agrees', completed(), { amount: '10.50', currency: 'EUR', status: 'completed' }, []],
    ['agrees without currency, status and amount', completed(), {}, []],
    [
      'agrees whatever the case of status and currency',
      completed(),
      { amount: '10.5', currency: 'eur', status: 'Completed' },
      [],
    ],
    ['has another amount', completed(), { amount: '10.51' }, ['amount']],
    ['has another currency', completed(), { amount: '10.50', currency: 'USD' }, ['currency']],
    ['refunds what was delivered', completed(), { amount: '10.50', status: 'refunded' }, ['status']],
    ['says failed of what was delivered', completed(), { status: 'failed' }, ['status']],
    ['charges for what failed', failed(), { amount: '10.50' }, ['status']],
    ['says failed of what failed', failed(), { amount: '10.50', status: 'failed' }, []],
    ['refunds what failed', failed(), { amount: '10.50', status: 'refunded' }, []],
    ['charges for what is open', processing(), { amount: '10.50' }, ['status']],
    ['follows a price that the supplier charged', completed({ unitPrice: 5.5, currency: 'EUR' }), { amount: '11' }, []],
  ])('%s', async (_what, result, line, expected) => {
    const { item, own } = await ended(result)
    await load({ supplier_order_id: own, ...line })
    expect(await kinds()).toEqual(expected)
    await load({ reference: item.toUpperCase(), ...line })
    expect(await kinds()).toEqual(expected)
    // The supplier's own id counts, whatever stands beside it.
    await load({ supplier_order_id: own, reference: crypto.randomUUID(), ...line })
    expect(await kinds()).toEqual(expected)
  })

  test('shows both amounts, and a cost that is not known', async () => {
    const { item, own } = await ended()
    await load({ supplier_order_id: own, amount: '12.3', currency: 'EUR' })
    expect(await differences()).toEqual([
      {
        ...{ kind: 'amount', supplier_order_id: own, item_id: item, ours: '10.50 EUR', theirs: '12.30 EUR', line: 1 },
        detail: '2 × Coins: 10.50 → 12.3 EUR (17 %)',
      },
    ])
    await sql()`update supply.order_items set supplier_cost = null where id = ${item}`
    expect(await differences()).toMatchObject([
      { kind: 'amount', ours: 'unknown', detail: 'the item has no known cost' },
    ])
  })

  test('is only theirs where no item has its id, or another supplier delivered the item', async () => {
    const { item, own } = await ended(failed({ errorCode: 'OUT_OF_STOCK' }))
    await answer(sql(), item, completed())
    await load(
      { supplier_order_id: 'alien', amount: '3' },
      { supplier_order_id: own, reference: item, amount: '10.50' },
      { supplier_order_id: 'alien-2', status: 'refunded' },
      { supplier_order_id: 'alien-3', status: 'failed' },
    )
    expect(await differences()).toMatchObject([
      { kind: 'only_theirs', supplier_order_id: 'alien', item_id: null, ours: null, theirs: '3.00' },
      { kind: 'only_theirs', item_id: item, detail: 'the item is at supplier second' },
      { kind: 'only_theirs', supplier_order_id: 'alien-2' },
    ])
    await load({ reference: item, supplier_order_id: 'G-1', status: 'failed' })
    expect(await kinds()).toEqual([])
  })

  test('is there twice where two lines mean one order, by its id or by our reference', async () => {
    const { item, own } = await ended()
    const other = await ended()
    await load(
      { supplier_order_id: own, amount: '10.50' },
      { reference: item, amount: '10.50' },
      { supplier_order_id: other.own },
      { supplier_order_id: 'alien' },
      { supplier_order_id: 'alien' },
    )
    expect(await differences()).toMatchObject([
      { kind: 'only_theirs', line: 4 },
      { kind: 'twice', line: 2, item_id: item, detail: 'lines 1 and 2 are about the same order' },
      { kind: 'twice', line: 5, supplier_order_id: 'alien' },
    ])
  })

  test('means all our items of one order of the supplier, or the item whose reference it has', async () => {
    const items = [await ended(completed(), '2024-05-01T12:00Z'), await ended(completed(), '2024-05-01T12:00Z')]
    await sql()`update supply.order_items set supplier_order_id = 'S-1' where id = any(${items.map(({ item }) => item)})`
    await load(
      { supplier_order_id: 'S-1', amount: '21', at: '2024-05-01' },
      { supplier_order_id: 'last', status: 'failed', at: '2024-05-02' },
    )
    expect(await kinds()).toEqual([])
    await load({ supplier_order_id: 'S-1', amount: '10.50' })
    expect(await differences()).toMatchObject([
      { kind: 'amount', ours: '21.00 EUR', theirs: '10.50', detail: '2 × Coins and 1 more: 21.00 → 10.50 EUR (-50 %)' },
    ])
    await load(...items.map(({ item }) => ({ reference: item, amount: '10.50' })))
    expect(await kinds()).toEqual([])
  })

  test('is wrong where it makes no sense, and then says nothing', async () => {
    const { own } = await ended()
    await load(
      { supplier_order_id: own, amount: '10,51' },
      { supplier_order_id: own, supplier: 'nobody' },
      { supplier_order_id: own, supplier: null },
      { amount: '1' },
      { supplier_order_id: own, currency: 'euro' },
      { supplier_order_id: own, status: 'done' },
      { supplier_order_id: own, at: '30.11.2026' },
      { supplier_order_id: own, at: '2026-02-30' },
    )
    expect(await wrong()).toEqual([
      "amount '10,51' is no number: write 10.51",
      "there is no supplier 'nobody'",
      'the supplier is missing',
      'supplier_order_id and reference are missing',
      "currency 'euro' is none",
      "status 'done' must be completed, failed or refunded",
      "at '30.11.2026' must be like 2026-11-30 14:05",
      "at '2026-02-30' must be like 2026-11-30 14:05",
    ])
    expect(await kinds()).toEqual([])
  })
})

describe('our items that a statement lacks', () => {
  const missing = async () => (await differences()).map(({ kind, supplier_order_id }) => `${kind} ${supplier_order_id}`)

  test('are those that ended an hour or more within its first and last time, of its supplier', async () => {
    const first = await ended(completed(), '2025-03-01T10:00:00Z')
    const last = await ended(completed(), '2025-03-31T10:00:00Z')
    const inside = await ended(completed(), '2025-03-01T11:00:01Z')
    const wrongLine = await ended(completed(), '2025-03-02T00:00:00Z')
    for (const at of ['2025-03-01T10:59:59Z', '2025-03-31T09:00:01Z', '2025-04-01T00:00:00Z'])
      await ended(completed(), at)
    await ended(failed(), '2025-03-05T00:00:00Z')
    const elsewhere = await ended(completed(), '2025-03-05T00:00:00Z')
    await sql()`update supply.order_items set supplier = 'second' where id = ${elsewhere.item}`
    const lines: Line[] = [
      { supplier_order_id: first.own, at: '2025-03-01 10:00' },
      { supplier_order_id: last.own, at: '2025-03-31T11:00+01' },
      { supplier_order_id: wrongLine.own, amount: 'x' },
    ]
    await load(...lines)
    expect(await missing()).toEqual([`only_ours ${inside.own}`])
    expect(await differences()).toMatchObject([
      { ours: '10.50 EUR', theirs: null, line: null, detail: /^2 × Coins, delivered at / },
    ])
    await load({ supplier_order_id: first.own }, { supplier_order_id: last.own })
    expect(await missing()).toEqual([])
  })

  test.each([
    ['2025-07-01 12:00', 'Europe/Berlin', '2025-07-01T10:00:00.000Z'],
    ['2025-07-01T12:00:00.5', 'Asia/Tokyo', '2025-07-01T03:00:00.500Z'],
    ['2025-07-01', 'Asia/Tokyo', '2025-06-30T15:00:00.000Z'],
    ['2025-07-01 12:00 Europe/Berlin', 'Asia/Tokyo', '2025-07-01T10:00:00.000Z'],
    ['2025-07-01T12:00:00Z', 'Asia/Tokyo', '2025-07-01T12:00:00.000Z'],
    ['01.07.2025', 'UTC', null],
    ['2025-07-01 now', 'UTC', null],
  ])('%s in the zone %s is %s', async (given, zone, expected) => {
    const [row] = await sql().begin(async (tx) => {
      await tx`select api.record_time_zone(${zone})`
      await tx`set local time zone 'America/New_York'`
      return tx`select core.moment_of(${given}) as at`
    })
    expect(row?.at?.toISOString() ?? null).toBe(expected)
    await sql()`select api.record_time_zone('UTC')`
  })
})

test('a statement is counted, compared and never applied', async () => {
  const { own } = await ended()
  const said = await load(
    { supplier_order_id: own },
    { supplier_order_id: 'alien' },
    { supplier_order_id: own },
    { amount: 'x' },
  )
  expect(said.at(-1)).toMatch(
    /supplier_statement\): 4 lines: 1 new, 1 changed, 1 unchanged, 1 wrong\..*\n.*ops\.supplier_differences\(\);.* where change = 'wrong';/,
  )
  const listed = await operator()`
    select kind, lines, new, changed, unchanged, wrong, state from ops.imports order by import_id desc limit 1`
  expect([...listed]).toEqual([
    { kind: 'supplier_statement', lines: 4, new: 1, changed: 1, unchanged: 1, wrong: 1, state: 'loaded' },
  ])
  await expect(operator()`select ops.apply_import()`).rejects.toMatchObject({
    ...refusals.wrongState,
    message: expect.stringContaining('is a statement: it is compared, and never applied'),
  })
  await operator()`insert into ops.import_products (sku, supplier) values ('a', 'first')`
  expect(await kinds()).toEqual(['only_theirs', 'twice'])
  await expect(
    operator()`select * from ops.supplier_differences((select max(import_id) from ops.imports where kind = 'products'))`,
  ).rejects.toMatchObject(refusals.wrongArgument)
})

test('a statement of 5,000 lines is compared', async () => {
  const { own } = await ended()
  await operator()`
    insert into ops.import_supplier_statement (supplier, supplier_order_id, amount)
    select 'first', 'alien-' || n, '1' from generate_series(1, 5000) as n union all select 'first', ${own}, '10.50'`
  const [row] = await operator()`select count(*)::int as n from ops.supplier_differences()`
  expect(row?.n).toBe(5_000)
})
