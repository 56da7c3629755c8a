import postgres from 'postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plansByKey } from '../../../src/database/connections/pool.ts'
import { fillOrders } from '../../bench/fill.ts'
import { testDatabase } from '../../support/database.ts'
import { place } from '../../support/orders.ts'
import { makeCatalog, makePartner, type Partner, products } from '../../support/partner.ts'
import { explainingSession } from '../../support/sql/plans.ts'

// Totals and pages by number count from noted positions: what they say is what they say without any.
const database = testDatabase()
const sql = () => database.sql
const orders = 4_900
const step = 1_000
let partner: Partner
let reader: postgres.Sql

type Query = {
  limit: number
  page: number
  from: Date | null
  to: Date | null
  status: string | null
  asOf: number | null
}

const list = async ({ limit, page, from, to, status, asOf }: Query) => {
  const [row] = await reader`
    select api.list_orders(${partner.accountId}, ${limit}, page => ${page}, status => ${status},
      created_from => ${from}, created_to => ${to}, as_of => ${asOf}) as list`
  const { orders: listed, pagination } = row?.list ?? {}
  return { codes: listed.map(({ code }: { code: string }) => code), pagination }
}

/** Places an order, and has it be as old as the clock said then. */
async function placeAt(at: Date): Promise<void> {
  const { body } = await place(sql(), partner)
  await sql()`update supply.orders set created_at = ${at} where code = ${body.code}`
}

const notedPositions = async () => {
  const rows = await sql()`select position::int from supply.order_positions order by position`
  return rows.map(({ position }) => position)
}
async function note(): Promise<void> {
  while ((await sql()`select work.note_order_positions() as more`)[0]?.more);
}

beforeAll(async () => {
  await makeCatalog(sql(), { url: 'http://127.0.0.1:9', token: 'token', code: 'bench' })
  partner = await makePartner(sql(), { balance: 1_000_000 })
  await fillOrders(sql(), { orders, productId: products.topUp })
  // Days on which all orders have one time: the id decides.
  await sql()`update supply.orders set created_at = date_trunc('day', created_at) where id % 3 < 2`
  await placeAt(new Date(Date.now() - 100 * 86_400_000))
  await placeAt(new Date(Date.now() - 86_400_000))
  await placeAt(new Date())
  await sql()`vacuum analyze`
  reader = postgres(database.url, { max: 1, connection: plansByKey })
})
afterAll(() => reader.end())

/** Queries of all kinds, the same in each run. */
function* queries(count: number): Generator<Query> {
  let seed = 7
  const below = (n: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % n
  }
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
  for (let n = 0; n < count; n += 1) {
    const [one, other] = [below(380), below(380)]
    const limit = 1 + below(100)
    yield {
      limit,
      page: 1 + below(Math.ceil((orders * 1.1) / limit)),
      from: below(3) === 0 ? daysAgo(Math.max(one, other)) : null,
      to: below(3) === 0 ? daysAgo(Math.min(one, other)) : null,
      status: below(8) === 0 ? 'completed' : null,
      asOf: below(2) === 0 ? 1 + below(orders) : null,
    }
  }
}

describe('lists by page number', () => {
  test('are the same with positions as without', async () => {
    const asked = [...queries(300)]
    const without = []
    for (const query of asked) without.push(await list(query))
    expect(new Set(without.map(({ pagination }) => pagination.total)).size).toBeGreaterThan(100)
    expect(without.filter(({ codes }) => codes.length > 0).length).toBeGreaterThan(100)

    await note()
    expect(await notedPositions()).toEqual([1_000, 2_000, 3_000, 4_000])
    const withPositions = []
    for (const query of asked) withPositions.push(await list(query))
    expect(withPositions).toEqual(without)
  })

  test('read a stretch between two positions, wherever the page is', async () => {
    const session = await explainingSession(database.url, plansByKey)
    for (const page of [1, 10, 22, 43]) {
      for (const created_to of [null, new Date(Date.now() - 50 * 86_400_000)]) {
        const { statements } = await session.explained(
          (on) =>
            on`select api.list_orders(${partner.accountId}, 100, page => ${page}, created_to => ${created_to})`,
        )
        expect(Math.max(...statements.map(({ rowsRead }) => rowsRead))).toBeLessThanOrEqual(step + 101)
      }
    }
    await session.end()
  })
})

describe('positions', () => {
  test('are noted once, and not of orders that are new', async () => {
    await note()
    const noted = await notedPositions()
    for (let n = 0; n < 100; n += 1) await place(sql(), partner)
    await note()
    expect(await notedPositions()).toEqual(noted)
    await sql()`
      update supply.orders set created_at = created_at - interval '3 minutes' where created_at > now() - interval '2 minutes'`
    await note()
    expect(await notedPositions()).toEqual([...noted, 5_000])
    expect(await sql()`select * from ops.audit_all() where check_name like 'position%'`).toEqual([])
  })
})
