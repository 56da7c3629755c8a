import type postgres from 'postgres'

/** An account that may order, and its key. */
export type Shopper = { accountId: number; key: string }

/** The one product of the benchmarks: a top-up for 1.00. */
export const productId = 1

/** A catalog of one product, at a supplier with this address. */
export async function makeShop(sql: postgres.Sql, supplierUrl: string): Promise<void> {
  const field = { id: 'gameUserId', type: 'text', label: 'Player ID', required: true, placeholder: null }
  await sql`select ops.upsert_game('bench', 'Bench')`
  await sql`select ops.upsert_supplier('bench', ${supplierUrl}, 'token')`
  await sql`select ops.upsert_product(${productId}, 'bench', 'A top-up', 1, 'RUB', 'id_only', ${sql.json([field])})`
  await sql`select ops.upsert_offer(${productId}, 'bench', 'sku')`
}

/** Accounts with a key and more money than a benchmark can spend. */
export async function makeShoppers(sql: postgres.Sql, count: number): Promise<Shopper[]> {
  const shoppers: Shopper[] = []
  for (let n = 1; n <= count; n += 1) {
    const [account] = await sql`select ops.create_account(${`shopper ${n}`}) as id`
    const [row] = await sql`
      select ops.issue_key(${account?.id}) as key, ops.deposit(${account?.id}, 100000000, 'bench') as balance`
    shoppers.push({ accountId: Number(account?.id), key: row?.key })
  }
  await sql`vacuum analyze`
  return shoppers
}

/** The body of an order of one unit; `reference` has to be new for each. */
export function orderBody(reference: string, callbackUrl?: string): string {
  const items = [{ productId, deliveryData: { gameUserId: '12345' } }]
  return JSON.stringify({ externalOrderId: reference, items, ...(callbackUrl ? { callbackUrl } : {}) })
}
