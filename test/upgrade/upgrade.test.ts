import { statSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeFunctions } from '../../src/migrate/describe_functions.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { release } from '../../src/release.ts'
import { testDatabase } from '../support/database.ts'
import { products } from '../support/partner.ts'
import { codesOf, pollNow, startWholeService, type WholeService } from '../support/whole_service.ts'
import { dataKeys, type Known, pathOf, restoreDump } from './dump.ts'

// A database as release 1.0.0 leaves it after a month of business, and what today's code does with it.
const from = '1.0.0'
const database = testDatabase({ empty: true })
const sql = () => database.sql
let known: Known
let before: string[]
let service: WholeService

/**
 * What others call and read, a fact a line: the functions of processes and operators, their types, and the views of
 * operators and analysts.
 */
async function offered(): Promise<string[]> {
  const { functions, types } = await describeFunctions(database.url)
  const views = await sql()<{ view: string; column: string; type: string }[]>`
    select attrelid::regclass::text as view, attname::text as column, format_type(atttypid, null) as type
    from pg_attribute join pg_class c on c.oid = attrelid and c.relkind = 'v'
    where c.relnamespace in ('ops'::regnamespace, 'bi'::regnamespace) and attnum > 0`
  return [
    ...functions.flatMap(({ name, args, columns, returns, returnsSet }) => [
      `${name} takes at least ${args.filter(({ optional }) => !optional).length} arguments`,
      ...args.map((arg, index) => `${name} takes as argument ${index + 1} ${arg.name} ${arg.type}`),
      columns === null ? `${name} returns ${returns}` : `${name} returns ${returnsSet ? 'rows' : 'a row'}`,
      ...(columns ?? []).map((column) => `${name} returns the column ${column.name} ${column.type}`),
    ]),
    ...types.flatMap(({ name, labels, columns }) => [
      ...(labels ?? []).map((label) => `${name} has the value ${label}`),
      ...(columns ?? []).map((column) => `${name} has ${column.name} ${column.type}`),
    ]),
    ...views.map(({ view, column, type }) => `${view} has the column ${column} ${type}`),
  ]
}
const key = () => known.partner.key
const auditAll = async () => [...(await sql()`select * from ops.audit_all()`)]

beforeAll(async () => {
  known = await restoreDump(sql(), database.url, from)
  before = await offered()
  await migrate({ databaseUrl: database.url })
})
afterAll(() => service?.close())

test('the dump is small, and is made by node test/upgrade/main.ts', () => {
  expect(statSync(pathOf(from)).size).toBeLessThanOrEqual(200_000)
})

test('a database of the first release is upgraded, and its money, queue and closed month agree', async () => {
  expect(await sql()`select release from supply.code_version`).toEqual([{ release }])
  expect(await auditAll()).toEqual([])
  const [open] = await sql()`
    select count(*)::int as orders, (select count(*)::int from ops.events where state = 'waiting') as events
    from ops.orders where completed_at is null`
  expect(open).toEqual({ orders: 4, events: 1 })
})

test('processes, operators and analysts of the first release find all that they call and read', async () => {
  const after = new Set(await offered())
  expect(before.length).toBeGreaterThan(1_000)
  const lost = before.filter((fact) => !after.has(fact))
  expect(lost, 'names of ops and bi stay; put what changes in api or work beside the old for one release').toEqual([])
})

describe('the service of today on that database', () => {
  beforeAll(async () => {
    await sql()`select ops.confirm_origin()`
    service = await startWholeService(database, dataKeys === undefined ? {} : { dataKeys })
    service.supplier.setAnswer(() => ({ status: 200, json: { status: 'completed' } }))
  })

  test('opens what was sealed, and ends what was open', async () => {
    const order = await service.read(known.partner, known.sealed.code)
    expect(codesOf(order)).toEqual(known.sealed.codes)
    const open = async () => {
      await pollNow(sql())
      const rows = await sql()`select external_order_id from ops.orders where completed_at is null order by 1`
      return rows.map((row) => row.external_order_id)
    }
    await expect.poll(open, { timeout: 30_000 }).toEqual([])
    const attempts = () => sql()`select from ops.delivery_attempts where attempt = 2 and outcome = 'retry'`
    await expect.poll(attempts).toHaveLength(1)
  })

  test('takes an order to its signed webhook', async () => {
    const receiver = await service.receiver(known.partner)
    service.supplier.setAnswer(() => ({ status: 200, json: { status: 'completed', codes: ['TODAY-1', 'TODAY-2'] } }))
    await sql()`select ops.upsert_offer(${products.key}, 'vault', 'v-1', priority => 1000)`
    const placed = await service.order(known.partner, {
      items: [{ productId: products.key, quantity: 2 }],
      callbackUrl: receiver.url,
    })
    expect(placed.totalAmount).toBe(38)
    expect(codesOf(await service.final(known.partner, placed.code))).toEqual(['TODAY-1', 'TODAY-2'])
    expect(await receiver.waitFor(({ event }) => event?.data.orderCode === placed.code, 60_000)).toMatchObject({
      verified: true,
    })
  })

  test('sells from the stock that was loaded and sealed before', async () => {
    await sql()`select ops.upsert_offer(${products.key}, 'vault', 'v-1', priority => 1)`
    const placed = await service.order(known.partner, { items: [{ productId: products.key }] })
    expect(codesOf(await service.final(known.partner, placed.code))).toEqual(['OWN-2'])
    expect(await sql()`select free::int, sold::int from ops.stock`).toEqual([{ free: 2, sold: 2 }])
  })

  test('redelivers a dead letter, refunds an item, and closes a month', async () => {
    const receiver = await service.receiver(known.partner)
    const body = { callbackUrl: receiver.url }
    expect((await service.api.post(`/b2b/events/${known.deadEvent}/redeliver`, { key: key(), body })).status).toBe(202)
    const { event, verified } = await receiver.waitFor(() => true, 60_000)
    expect([event?.event_id, verified]).toEqual([known.deadEvent, true])

    const balance = async () => (await service.api.get('/b2b/balance', { key: key() })).json.data.balance
    const had = await balance()
    await sql()`select ops.set_approval(null, 'RUB')`
    await sql()`select ops.refund_item(${known.refundable}::uuid, 19, 'ticket 3', 'a wrong region')`
    expect(await balance()).toBe(had + 19)

    const closed = (month: string) => sql()`
      select closed, sold::float, refunded::float, adjusted::float from ops.month(${month})
      where account_id = ${known.partner.accountId}`
    const figures = await closed(known.closedMonth)
    expect(figures).toMatchObject([{ closed: true, refunded: expect.any(Number), adjusted: -1 }])
    await sql()`select ops.close_month(to_char(to_date(${known.closedMonth}, 'YYYY-MM') - 1, 'YYYY-MM'))`
    await expect(sql()`select ops.close_month(${known.closedMonth})`).resolves.toHaveLength(1)
    expect(await closed(known.closedMonth)).toEqual(figures)
    expect(await auditAll()).toEqual([])
  })
})
