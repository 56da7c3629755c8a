import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type postgres from 'postgres'

const statements = readFileSync(join(import.meta.dirname, 'growth.sql'), 'utf8')

/** How many orders of which product, and how many of their events wait for another attempt: else one in a hundred. */
export type Filling = { orders: number; productId: number; rungs?: number }

/** Fills a database whose accounts have one deposit each with final orders (`growth.sql`). */
export async function fillOrders(
  sql: postgres.Sql,
  { orders, productId, rungs = Math.floor(orders / 100) }: Filling,
): Promise<void> {
  const settings = `set bench.orders = '${orders}'; set bench.rungs = '${rungs}'; set bench.product = '${productId}';`
  await sql.unsafe(`${settings} ${statements}`)
}
