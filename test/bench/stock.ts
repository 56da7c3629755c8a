import postgres from 'postgres'
import { orderRequest, placeAll } from '../support/orders.ts'
import { makePartner, type Partner } from '../support/partner.ts'
import { makeStock } from '../support/stock.ts'
import type { Bench } from './baseline.ts'
import { type Latencies, latenciesOf, median, type Table } from './figures.ts'
import { keyProductId } from './requests.ts'
import { makeShop } from './shop.ts'
import type { StageDatabase } from './stage.ts'

const stocks = [1_000, 1_000_000]
const connections = 64
const codesOfAnOrder = 10
const partners = 50

type Sales = { perSecond: number; latencies: Latencies; busy: number }
type Round = { free: number; lookUpMs: number; orderMs: number; sales?: Sales }
export type Stock = Round[]

/**
 * Our own stock with few and with many free codes: what a look-up and a placed order cost, and how many orders of ten
 * codes 64 connections sell in a second, each item in a statement of its own. The lowest goal is 500.
 */
export async function measureStock({ stage, ms }: Bench): Promise<Stock> {
  const rounds: Round[] = []
  for (const free of stocks) {
    const database = await stage.database()
    const { sql } = database
    await makeShop(sql, stage.ports.supplier)
    await makeStock(sql, { productId: keyProductId, cost: 0.5 })
    await fill(sql, free)
    const buyers: Partner[] = []
    for (let n = 0; n < partners; n += 1) buyers.push(await makePartner(sql, { name: `P${n}`, balance: 1_000_000 }))
    await sql`vacuum analyze`
    const lookUpMs = await timeOf(() => sql`select core.free_codes('vault', 'v-1', 10)`)
    const orderMs = await timeOf((n) => placeAll(sql, [request(buyers[n % partners], 1)]))
    const sales = free > 100_000 ? { sales: await sell(database, buyers, Math.ceil(ms(8) / 2)) } : {}
    const breaches = await sql`select * from ops.audit_all() limit 1`
    if (breaches.length > 0) throw new Error(`the audit has rows: ${JSON.stringify(breaches)}`)
    rounds.push({ free, lookUpMs, orderMs, ...sales })
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
async function sell({ url, sql }: StageDatabase, buyers: Partner[], count: number): Promise<Sales> {
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
  let busy = 0
  const begun = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let item = open.pop(); item !== undefined; item = open.pop()) {
        const from = performance.now()
        const calls = await client`select lease_token from work.begin_calls(${[item]}, '{}', null)`
        const [row] = await client`select (work.sell_stock(${[item]}, ${calls.map((call) => call.lease_token)},
          '24 hours', '30 minutes', 0, null)).answers[1].verdict`
        times.push(performance.now() - from)
        if (row?.verdict !== 'settled') busy += 1
      }
    }),
  )
  const perSecond = times.length / ((performance.now() - begun) / 1000)
  await client.end()
  return { perSecond, latencies: latenciesOf(times), busy }
}

export function stockTable(rounds: Stock): Table {
  return {
    title: `Our own stock; ${connections} connections sell orders of ${codesOfAnOrder} codes`,
    columns: ['free codes', 'look-up ms', 'POST ms', 'orders/s', 'p50 ms', 'p95 ms', 'not settled'],
    rows: rounds.map(({ free, lookUpMs, orderMs, sales }) => [
      ...[free, lookUpMs, orderMs],
      ...(sales === undefined
        ? ['–', '–', '–', '–']
        : [Math.round(sales.perSecond), sales.latencies.p50, sales.latencies.p95, sales.busy]),
    ]),
  }
}
