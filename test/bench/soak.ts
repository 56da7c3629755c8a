import type postgres from 'postgres'
import type { Bench } from './baseline.ts'
import type { Latencies, Table } from './figures.ts'
import { costCells, costColumns, costNote } from './intake.ts'
import { assertSound, waitUntilFinal } from './stage.ts'
import type { Costs } from './usage.ts'
import { openShop, withReceivers } from './whole.ts'

const slices = 6
const share = 0.1
/** Relations that never get larger than this are not worth a line. */
const smallest = 64 * 1024

/** A table with what belongs to it: its heap and its large values, all its indexes, in bytes; its rows, as counted. */
type Size = { name: string; heap: number; indexes: number; live: number; dead: number }
type Slice = { minute: number; perSecond: number; latencies: Latencies; failed: number; costs: Costs }

export type Soak = {
  perSecond: number
  slices: Slice[]
  /** After the first slice, and after the last one, between which `orders` were placed. */
  before: Size[]
  after: Size[]
  orders: number
}

/**
 * Whole orders of fifty accounts at a steady rate for so many minutes: what an order costs and how long it takes from
 * slice to slice, and what the tables have become. What holds the work under way may not grow; what holds what has
 * been done may, by so many bytes an order.
 */
export async function measureSoak({ stage, ms, plainRate, soakMinutes }: Bench): Promise<Soak> {
  const { database, service, accounts } = await openShop(stage)
  const [perSecond, seconds] = [plainRate * share, (soakMinutes * 60) / slices]
  const soak: Soak = { perSecond, slices: [], before: [], after: [], orders: 0 }
  const run = { shoppers: withReceivers(accounts, stage), pace: { perSecond }, untilWebhook: true, warmUpMs: 0 }
  let accepted = 0
  for (let slice = 1; slice <= slices; slice += 1) {
    const { orders, latencies, costs, ...result } = await stage.orders(service, { ...run, ms: ms(seconds) })
    accepted += result.accepted
    if (slice > 1) soak.orders += result.accepted
    await waitUntilFinal(database.sql)
    const failed = result.refused + result.lost + result.twice
    const minute = (soakMinutes * slice) / slices
    soak.slices.push({ minute, perSecond: orders / result.seconds, latencies, failed, costs })
    if (slice === 1) soak.before = await sizesOf(database.sql)
  }
  soak.after = await sizesOf(database.sql)
  await assertSound(database.sql, accepted)
  await service.stop()
  await database.drop()
  return soak
}

async function sizesOf(sql: postgres.Sql): Promise<Size[]> {
  const rows = await sql<Size[]>`
    select s.schemaname || '.' || s.relname as name, pg_table_size(s.relid)::float8 as heap,
      pg_indexes_size(s.relid)::float8 as indexes, s.n_live_tup::float8 as live, s.n_dead_tup::float8 as dead
    from pg_stat_user_tables s where s.schemaname in ('supply', 'graphile_worker') order by 1`
  return [...rows]
}

export function soakTables({ perSecond, slices, before, after, orders }: Soak): Table[] {
  const kilobytes = (bytes: number) => Math.round(bytes / 1000)
  const grown = after.filter(({ heap, indexes }) => heap + indexes > smallest)
  return [
    {
      title: `Whole orders of fifty accounts, ${Math.round(perSecond)}/s, for ${slices.at(-1)?.minute} minutes`,
      columns: ['until minute', 'orders/s', 'p50 ms', 'p95 ms', 'p99 ms', 'failed', ...costColumns],
      rows: slices.map(({ minute, latencies: { p50, p95, p99 }, failed, costs, ...slice }) => [
        minute,
        Math.round(slice.perSecond),
        ...[p50, p95, p99],
        failed,
        ...costCells(costs),
      ]),
      notes: [costNote],
    },
    {
      title: `What ${orders.toLocaleString('en-US')} orders made of the tables`,
      columns: ['', 'kB before', 'kB after', 'indexes before', 'after', 'bytes an order', 'rows', 'dead rows'],
      rows: grown.map(({ name, heap, indexes, live, dead }) => {
        const old = before.find((size) => size.name === name) ?? { heap: 0, indexes: 0 }
        const growth = (heap + indexes - old.heap - old.indexes) / orders
        const sizes = [old.heap, heap, old.indexes, indexes].map(kilobytes)
        return [name, ...sizes, Math.round(growth), live, dead]
      }),
      notes: ['before: after the first sixth of the time; tables of less than 64 KiB are left out'],
    },
  ]
}
