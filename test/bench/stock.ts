import postgres from 'postgres'
import { orderRequest, placeAll } from '../support/orders.ts'
import { makePartner, type Partner } from '../support/partner.ts'
import { makeStock } from '../support/stock.ts'
import type { Bench } from './baseline.ts'
import { type Latencies, latenciesOf, median, type Table } from './figures.ts'
import { makeShop } from './shop.ts'
import type { StageDatabase } from './stage.ts'

/** The product of keys, for 1.00 each. */
const keyProductId = 2
const stocks = [1_000, 1_000_000]
const connections = 64
const codesOfAnOrder = 10
const partners = 50
/** How many items a statement sells: one, and as many as a worker shares under load. */
const shares = [1, 16]

type Sales = { itemsAtOnce: number; perSecond: number; latencies: Latencies; busy: number }
type Round = { free: number; lookUpMs: number; orderMs: number; sales: Sales[] }
export type Stock = Round[]

/**
 * Our own stock with few and with many free codes: what a look-up and a placed order cost, and how many orders of ten
 * codes 64 connections sell in a second. The goal is 500.
 */
export async function measureStock({ stage, ms }: Bench): Promise<Stock> {
  const rounds: Round[] = []
  for (const free of stocks) {
    const database = await stage.database()
    const { sql } = database
    await makeShop(sql, stage.ports.supplier)
    await sql`select ops.upsert_product(${keyProductId}, 'bench', 'A key', 1, 'RUB', 'key')`
    await makeStock(sql, { productId: keyProductId, cost: 0.5 })
    await fill(sql, free)
    const buyers: Partner[] = []
    for (let n = 0; n < partners; n += 1) buyers.push(await makePartner(sql, { name: `P${n}`, balance: 1_000_000 }))
    await sql`vacuum analyze`
    const lookUpMs = await timeOf(() => sql`select core.free_codes('vault', 'v-1', 10)`)
    const orderMs = await timeOf((n) => placeAll(sql, [request(buyers[n % partners], 1)]))
    const sales: Sales[] = []
    for (const itemsAtOnce of free > 100_000 ? shares : [])
      sales.push(await sell(database, buyers, Math.ceil(ms(8) / 2), itemsAtOnce))
    const breaches = await sql`select * from ops.audit_all() limit 1`
    if (breaches.length > 0) throw new Error(`the audit has rows: ${JSON.stringify(breaches)}`)
    rounds.push({ free, lookUpMs, orderMs, sales })
    await database.drop()
  }
  return rounds
}

const request = (partner: Partner | undefined, ordinal: number) => {
  if (partner === undefined) throw new Error('there is no partner')
  return orderRequest(partner, { ordinal, items: [{ productId: keyProductId, quantity: codesOfAnOrder }] })
}

/** The codes of a stock, as ops.load_codes writes them; a million statements would take the time of the bench. */
async function fill(sql: postgres.Sql, free: number): Promise<void> {
  await sql`insert into supply.stock_batches (name, supplier, sku) values ('bench', 'vault', 'v-1')`
  await sql`
    insert into supply.stock_codes (id, batch_id, supplier, sku, code, state)
    select core.time_ordered_uuid(), b.id, 'vault', 'v-1', 'CODE-' || n, 'free'
    from supply.stock_batches b, generate_series(1, ${free}::int) n`
}

async function timeOf(call: (n: number) => PromiseLike<unknown>): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < 60; n += 1) {
    const begun = performance.now()
    await call(n)
    times.push(performance.now() - begun)
  }
  return median(times)
}

/** Sells to so many items, which are placed before. */
async function sell(
  { url, sql }: StageDatabase,
  buyers: Partner[],
  count: number,
  itemsAtOnce: number,
): Promise<Sales> {
  for (let placed = 0; placed < count; placed += partners)
    await placeAll(
      sql,
      buyers.map((buyer, n) => request(buyer, n + 1)),
    )
  await sql`delete from graphile_worker._private_jobs`
  const open = (await sql`select id from supply.order_items where completed_at is null`).map(({ id }) => id)
  const client = postgres(url, { max: connections, onnotice: () => {} })
  await Promise.all(Array.from({ length: connections }, () => client`select 1`))
  const times: number[] = []
  let [settled, busy] = [0, 0]
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let items = open.splice(-itemsAtOnce); items.length > 0; items = open.splice(-itemsAtOnce)) {
        const from = performance.now()
        const calls = await client`select item_id, lease_token from work.begin_calls(${items}, '{}', null)`
        const [row] = await client`
          select count(*) filter (where a.verdict = 'settled')::int as settled
          from unnest((work.sell_stock(${calls.map((call) => call.item_id)}, ${calls.map((call) => call.lease_token)},
            '24 hours', '30 minutes', 0, null)).answers) as a`
        times.push(performance.now() - from)
        settled += row?.settled
        busy += items.length - row?.settled
      }
    }),
  )
  const perSecond = settled / ((performance.now() - begun) / 1000)
  await client.end()
  return { itemsAtOnce, perSecond, latencies: latenciesOf(times), busy }
}

export function stockTable(rounds: Stock): Table {
  return {
    title: `Our own stock; ${connections} connections sell orders of ${codesOfAnOrder} codes`,
    columns: ['free codes', 'look-up ms', 'POST ms', 'a statement', 'orders/s', 'p50 ms', 'p95 ms', 'not settled'],
    rows: rounds.flatMap(({ free, lookUpMs, orderMs, sales }) => {
      const costs = [free, lookUpMs, orderMs]
      if (sales.length === 0) return [[...costs, '–', '–', '–', '–', '–']]
      return sales.map(({ itemsAtOnce, perSecond, latencies, busy }) => [
        ...[...costs, itemsAtOnce, Math.round(perSecond), latencies.p50, latencies.p95, busy],
      ])
    }),
  }
}
