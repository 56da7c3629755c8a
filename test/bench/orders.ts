import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Report } from './figures.ts'
import type { Load, LoadResult } from './load.ts'
import { makeShop, makeShoppers, type Shopper } from './shop.ts'
import type { Stage } from './stage.ts'

const connections = [1, 16, 64, 256]
const accounts = 1_000
const warmUpMs = 1_000
const ms = 5_000

/**
 * Orders per second over HTTP, each charged and committed with its job: the API in one process, the load in another,
 * for one account that all orders are charged to and for a thousand. No worker runs.
 */
export async function orders(stage: Stage): Promise<Report> {
  const { url, sql } = await stage.database()
  await makeShop(sql, 'http://127.0.0.1:9')
  const shoppers = await makeShoppers(sql, accounts)
  const line = await stage.program({
    args: ['api'],
    env: { DATABASE_URL: url, PORT: '0', RATE_LIMIT_PER_MINUTE: '2147483647' },
    ready: 'ready:',
  })
  const apiUrl = line.slice(line.indexOf('http'))
  const rows: Report['rows'] = []
  for (const [name, who] of [
    ['one account', shoppers.slice(0, 1)],
    ['1,000 accounts', shoppers],
  ] as const) {
    for (const count of connections) {
      const { orders, seconds, p50, p95, refused } = await run(stage, apiUrl, who, count)
      rows.push([name, count, Math.round(orders / seconds), p50, p95, refused])
    }
  }
  return {
    title: 'Orders over HTTP',
    columns: ['charged to', 'connections', 'orders/s', 'p50 ms', 'p95 ms', 'refused'],
    rows,
  }
}

async function run(
  stage: Stage,
  url: string,
  shoppers: readonly Shopper[],
  count: number,
): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'supply-ordering-load-'))
  const file = join(folder, 'load.json')
  const load: Load = { url, keys: shoppers.map(({ key }) => key), connections: count, warmUpMs, ms }
  writeFileSync(file, JSON.stringify(load))
  const program = { file: join(import.meta.dirname, 'load.ts'), args: [file], ready: 'ready: ' }
  const line = await stage.program(program)
  rmSync(folder, { recursive: true })
  return JSON.parse(line.slice('ready: '.length))
}
