import type postgres from 'postgres'
import type { Recorded } from '../../tasks/deliver_webhook.ts'
import { products } from './partner.ts'

/** Makes a supplier of the protocol stock with an offer of the keys' product, which is used first. */
export async function makeStock(
  sql: postgres.Sql,
  { code = 'vault', sku = 'v-1', productId = products.key as number, cost = 5 as number | null } = {},
): Promise<void> {
  await sql`select ops.upsert_supplier(${code}, protocol => 'stock')`
  await sql`select ops.upsert_offer(${productId}, ${code}, ${sku}, ${cost}, 1)`
}

/** Sells our own codes to items, as a worker does: their jobs run once. Returns the verdicts, in the order of the ids. */
export async function sell(sql: postgres.Sql, itemIds: string[], { toSend = 0, pool = null as string | null } = {}) {
  await sql`delete from graphile_worker._private_jobs where payload ->> 'id' = any(${itemIds})`
  const calls = await sql`select * from work.begin_calls(${itemIds}, '{}', null) where method = 'stock'`
  const [ids, tokens] = [calls.map(({ item_id }) => item_id), calls.map(({ lease_token }) => lease_token)]
  const [row] = await sql`
    select to_json(work.sell_stock(${ids}, ${tokens}, '24 hours', '30 minutes', ${toSend}, ${pool})) as recorded`
  const recorded: Recorded = row?.recorded
  return itemIds.map((id) => recorded.answers.find(({ ordinal }) => ids[ordinal - 1] === id)?.verdict)
}
