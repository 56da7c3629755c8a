import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { answer, completed, failed } from '../support/items.ts'
import { place } from '../support/orders.ts'
import { makePartner, type Partner } from '../support/partner.ts'
import { hasPsql, psql } from '../support/psql.ts'
import { rechained } from '../support/sql/passing_time.ts'
import { unchecked } from '../support/sql/transactions.ts'

if (!hasPsql) console.info('no psql 15 on this machine, hence not run: the end of a month')

const database = testDatabase({ catalog: true })
const sql = () => database.sql
const dir = mkdtempSync(join(tmpdir(), 'supply-month-'))
const login = `finance_${process.pid}`
const suppliers = { first: 401, second: 402, third: 403 } as const
type Supplier = keyof typeof suppliers
type Item = {
  id: string
  code: string
  own: string
  at: string
  local: string
  total: number
  unit: number
  units: number
}

// The month before this one, in place of the example's.
const now = new Date()
const monthBy = (months: number) =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 1)).toISOString().slice(0, 7)
const month = monthBy(-1)
const page = readFileSync(join(import.meta.dirname, '../../docs/operations/month-end.md'), 'utf8')
  .replaceAll('2026-10', month)
  .replaceAll('2026-11', monthBy(0))
const steps = page
  .split(/^## /m)
  .slice(1)
  .map((text) => [...text.matchAll(/^```sql\n(.*?)^```$/gms)].flatMap(([, block = '']) => statementsOf(block)))

/** What stands in a block: commands of psql are lines, and statements end with a semicolon. */
function statementsOf(block: string): string[] {
  const commands = block.split('\n').filter((line) => line.startsWith('\\'))
  const rest = block
    .split('\n')
    .filter((line) => !line.startsWith('\\'))
    .join('\n')
  const statements = rest
    .split(/;$/m)
    .map((text) => text.trim())
    .filter((text) => text !== '')
  return [...statements, ...commands]
}

const run = (command: string) =>
  psql(Object.assign(new URL(database.url), { username: login, password: 'x' }).href, command, dir)
const runStep = (step: number) => (steps[step - 1] ?? []).map(run)

let partner: Partner
const items: Record<Supplier, Item[]> = { first: [], second: [], third: [] }
const planted: string[] = []
const day = (n: number, time = '12:00') => `${month}-${String(n).padStart(2, '0')}T${time}:00Z`

/** An order of so many units that its supplier ended at a time; its charge is booked then, and its refund. */
async function ended(supplier: Supplier, units: number, at: string, result: object = completed()): Promise<Item> {
  const { body } = await place(sql(), partner, { items: [{ productId: suppliers[supplier], quantity: units }] })
  const id = body.items[0]?.id ?? ''
  const own = `${supplier}-${body.code.slice(-6)}`
  await answer(sql(), id, { ...result, supplierOrderId: own })
  await unchecked(sql(), async (tx) => {
    await tx`update supply.order_items set completed_at = ${at}, sent_at = ${at}::timestamptz - interval '1 minute' where id = ${id}`
    await tx`update supply.ledger set created_at = ${at} where created_at > now() - interval '1 minute'`
  })
  const [row] = await sql()`
    select to_char(${at}::timestamptz at time zone 'Europe/Berlin', 'DD.MM.YYYY HH24:MI') as local,
      supplier_cost::float as unit, round(supplier_cost * amount, 2)::float as total
    from ops.order_items where item_id = ${id}`
  const item = { id, own, at, units, code: body.code, local: row?.local, total: row?.total, unit: row?.unit }
  items[supplier].push(item)
  return item
}

/** As spreadsheets write it. */
const csvOf = (name: string, header: string, lines: string[]) =>
  writeFileSync(join(dir, name), [`\ufeff${header}`, ...lines, ''].join('\r\n'))
const plant = (kind: string, supplier: Supplier, what: string) => planted.push(`${kind} ${supplier} ${what}`)
const take = (from: Item[], count: number) => from.splice(0, count)

function writeFirst(failures: Item[]): void {
  const good = items.first.filter((item) => !failures.includes(item))
  const edges = [good.shift(), good.pop()] as Item[]
  const line = ({ own, total, at }: Item, change: object = {}) => {
    const { amount, currency, status, id } = { amount: total, currency: 'EUR', status: 'completed', id: own, ...change }
    return [id, amount, currency, status, at].join(',')
  }
  const said = (kind: string, item: Item, ...changes: object[]) => {
    plant(kind, 'first', item.own)
    return changes.map((change) => line(item, change))
  }
  const planted = [
    ...take(good, 3).flatMap((item, n) => said('amount', item, { amount: item.total + 0.01 * (n + 1) })),
    ...take(good, 2).flatMap((item) => said('currency', item, { currency: 'USD' })),
    ...take(good, 1).flatMap((item) => said('status', item, { status: 'refunded' })),
    ...failures.slice(0, 1).flatMap((item) => said('status', item, {})),
    ...take(good, 1).flatMap((item) => said('twice', item, {}, {})),
  ]
  for (const item of take(good, 2)) plant('only_ours', 'first', item.own)
  for (const id of ['alien-1', 'alien-2']) plant('only_theirs', 'first', id)
  const aliens = ['alien-1', 'alien-2'].map((id) => line(good[0] as Item, { id }))
  const failed = failures.slice(1).map((item) => line(item, { status: 'failed' }))
  const lines = [
    ...planted,
    ...edges.map((item) => line(item)),
    ...good.map((item) => line(item)),
    ...aliens,
    ...failed,
  ]
  csvOf('first.csv', 'Order no,Total,Ccy,State,Created', lines)
}

function writeSecond(): void {
  const good = [...items.second]
  const edges = [good.shift(), good.pop()] as Item[]
  const line = ({ id, total, local }: Item, amount = total) => `${id};${amount.toFixed(2).replace('.', ',')};${local}`
  const costly = take(good, 2)
  for (const { own } of costly) plant('amount', 'second', own)
  for (const { own } of take(good, 3)) plant('only_ours', 'second', own)
  const strangers = [crypto.randomUUID(), 'no-reference']
  for (const _ of strangers) plant('only_theirs', 'second', 'null')
  csvOf('second.csv', 'Reference;Price;Date', [
    ...[...edges, ...good].map((item) => line(item)),
    ...costly.map((item) => line(item, item.total + 1)),
    ...strangers.map((id) => line({ ...(good[0] as Item), id })),
  ])
}

function writeThird(): void {
  const [costly, cheap, ...good] = items.third as [Item, Item, ...Item[]]
  plant('amount', 'third', costly.own)
  plant('amount', 'third', cheap.own)
  plant('only_theirs', 'third', 'alien-3')
  // One sku in two lines, as of an order that was packed twice.
  const lines = ({ own, unit, units }: Item, price = unit) =>
    units > 1 ? [`${own},a,1,${price}`, `${own},a,${units - 1},${price}`] : [`${own},a,1,${price}`]
  csvOf('third.csv', 'order,sku,quantity,unit price', [
    ...good.flatMap((item) => lines(item)),
    ...lines(costly, costly.unit + 0.5),
    ...lines(cheap, cheap.unit - 0.01),
    'alien-3,a,2,9.99',
  ])
}

beforeAll(async () => {
  await sql().unsafe(`create role ${login} login password 'x' in role supply_finance`)
  // Months begin in BUSINESS_TIME_ZONE, whatever the zone of the session is.
  await sql().unsafe(`alter role ${login} set timezone = 'Pacific/Auckland'`)
  const rate = (value: number) =>
    sql()`select ops.set_rate('EUR', 'RUB', ${value}, now() + interval '1 day', allow => '{large_change}')`
  await rate(90)
  for (const [code, id] of Object.entries(suppliers)) {
    if (code !== 'first') await sql()`select ops.upsert_supplier(${code}, 'http://127.0.0.1:9', 'token')`
    await sql()`select ops.upsert_product(${id}, 'space-trader', ${`Of ${code}`}, 700, 'RUB', 'id_only', '[]')`
    await sql()`select ops.upsert_offer(${id}, ${code}, 'a', 3.35, 1, 'EUR')`
  }
  partner = await makePartner(sql(), { name: 'Acme Games', balance: 900_000 })
  await unchecked(sql(), (tx) => tx`update supply.ledger set created_at = ${`${monthBy(-3)}-15`}`)

  const last = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 0)).getUTCDate()
  // Its charge lies in the month before, its refund in the month.
  const { body } = await place(sql(), partner, { items: [{ productId: suppliers.first, quantity: 1 }] })
  await unchecked(
    sql(),
    (tx) => tx`
    update supply.ledger set created_at = ${`${monthBy(-2)}-28`} where created_at > now() - interval '1 minute'`,
  )
  await answer(sql(), body.items[0]?.id ?? '', failed())
  await unchecked(sql(), async (tx) => {
    await tx`update supply.ledger set created_at = ${day(1, '00:10')} where created_at > now() - interval '1 minute'`
    await tx`update supply.order_items set completed_at = ${day(1, '00:10')} where id = ${body.items[0]?.id ?? ''}`
  })
  for (const supplier of ['first', 'second'] as const) await ended(supplier, 1, day(1, '00:30'))
  const failures: Item[] = []
  for (let n = 2; n <= 17; n += 1) {
    if (n === 10) await rate(101)
    await ended('first', (n % 3) + 1, day(n))
    if (n % 2 === 0) await ended('second', n % 4 === 0 ? 1 : 3, day(n, '13:00'))
    if (n % 3 === 0) await ended('third', n % 4 === 0 ? 1 : 2, day(n, '14:00'))
    if (n % 8 === 0) failures.push(await ended('first', 2, day(n, '15:00'), failed()))
  }
  for (const supplier of ['first', 'second'] as const) await ended(supplier, 1, day(last, '23:30'))
  writeFirst(failures)
  writeSecond()
  writeThird()
  // Within an hour of the edges of the files, outside of the month, and open: none of them is missing in a statement.
  await ended('first', 1, day(1, '01:20'))
  await ended('second', 1, day(last, '23:00'))
  await ended('first', 1, `${monthBy(0)}-01T00:00:00Z`)
  await place(sql(), partner, { items: [{ productId: suppliers.second, quantity: 1 }] })
  await sql()`select ops.refund_item(${items.first[3]?.id ?? ''}, 5, 'refund after the month', 'a test')`
  await unchecked(sql(), rechained)
})
afterAll(async () => {
  rmSync(dir, { recursive: true, force: true })
  await sql().unsafe(`drop role if exists ${login}`)
})

describe.skipIf(!hasPsql)('the ten steps of the end of a month, by a login of supply_finance', () => {
  test('are ten, and none is refused', async () => {
    expect(steps).toHaveLength(10)
    for (const step of [1, 2, 3]) for (const said of runStep(step)) expect(said, `step ${step}`).not.toContain('ERROR')
    expect(runStep(2).join()).toContain('(0 rows)')
    const bought = new Map<string, number>()
    for (const [, supplier = '', count] of runStep(3)
      .join()
      .matchAll(/ (\w+) +\| EUR +\| +(\d+) \| 90\.0+ \| 101\.0+/g))
      bought.set(supplier, Number(count))
    const owed = await sql()`select supplier, items from ops.payables(${month})`
    expect([...bought]).toEqual(owed.map(({ supplier, items }) => [supplier, items]))
    const loaded = runStep(4)
    expect(loaded).toHaveLength(3)
    for (const said of loaded)
      expect(said).toMatch(
        /^NOTICE: {2}import \d+ \(supplier_statement\): .* 0 wrong\..*\n.*supplier_differences.*\nCOPY/,
      )
  })

  test('find the 22 planted differences, and invent none', async () => {
    expect(planted).toHaveLength(22)
    expect(runStep(5).join()).toContain('(0 rows)')
    const [command = ''] = steps[5] ?? []
    const found = run(
      `\\copy (select kind || ' ' || supplier || ' ' || coalesce(supplier_order_id, 'null') from (${command}) as d) to stdout`,
    )
    expect(found.trim().split('\n').sort()).toEqual(planted.toSorted())
    expect(run('select ops.apply_import()')).toContain('permission denied')
  })

  test('show what we owe, and what was sold, as the statement has it', async () => {
    for (const step of [7, 8, 9]) for (const said of runStep(step)) expect(said).not.toContain('ERROR')
    const [owed] = await sql()`
      select sum(cost)::float as cost, (select sum(cost)::float from ops.margins(${`${month}-01`}, ${`${monthBy(0)}-01`}, 'ended')) as
        in_roubles from ops.payables(${month})`
    const inMonth = Object.values(items)
      .flat()
      .filter(({ at }) => at.startsWith(month))
    const [failures] =
      await sql()`select count(*)::int as n from ops.order_items where status = 'failed' and item_id = any(${inMonth.map(({ id }) => id)})`
    expect(failures?.n).toBe(2)
    const [row] = await sql()`select * from ops.month(${month})`
    expect(Number(row?.cost)).toBe(owed?.in_roubles)
    expect(owed?.cost).toBeCloseTo(inMonth.reduce((sum, { total }) => sum + total, 0) - 2 * 2 * 3.35, 6)
    const [summary] = await sql()`select amount from ops.statement('Acme Games', ${month}) where type = 'summary'`
    expect(Number(row?.other) - row?.sold + Number(row?.refunded) + Number(row?.adjusted)).toBeCloseTo(
      Number(summary?.amount),
      6,
    )
    expect(Number(row?.refunded)).toBe(700 + 2 * 1400)
  })

  test('close the month and write a file for accounting that stays what it is', async () => {
    const [closed = '', copied] = runStep(10)
    expect(closed).toMatch(/NOTICE: {2}month .* is closed/)
    expect(copied).toBe('COPY 1\n')
    const file = readFileSync(join(dir, `month-${month}.csv`), 'utf8')
    expect(file).toMatch(
      /^account_id,partner,currency,orders,sold,refunded,adjusted,cost,margin,items_without_cost,other,closed,zone\n\d+,Acme Games,RUB,/,
    )
    await sql()`select ops.refund_item(${items.first[4]?.id ?? ''}, 5, 'refund after the close', 'a test')`
    runStep(10)
    expect(readFileSync(join(dir, `month-${month}.csv`), 'utf8')).toBe(file)
    expect(await sql()`select * from ops.audit_all()`).toHaveLength(0)
  })
})
