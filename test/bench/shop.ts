import type postgres from 'postgres'
import { productId } from './requests.ts'

/** An account that may order, and its key. */
export type Account = { accountId: number; key: string }

/** A catalog of a top-up, at a supplier on this port of the machine. */
export async function makeShop(sql: postgres.Sql, supplierPort: number): Promise<void> {
  const field = { id: 'gameUserId', type: 'text', label: 'Player ID', required: true, placeholder: null }
  await sql`select ops.upsert_game('bench', 'Bench')`
  await sql`select ops.upsert_supplier('bench', ${`http://127.0.0.1:${supplierPort}`}, 'token')`
  await sql`select ops.upsert_product(${productId}, 'bench', 'A top-up', 1, 'RUB', 'id_only', ${sql.json([field])})`
  await sql`select ops.upsert_offer(${productId}, 'bench', 'sku')`
}

/**
 * Accounts with a key and more money than a benchmark can spend, in the order of their numbers. Leaves the database as
 * autovacuum would soon: no plan hangs on whether it came in time.
 */
export async function makeAccounts(sql: postgres.Sql, count: number): Promise<Account[]> {
  await sql`select ops.create_account('account ' || n) from generate_series(1, ${count}::int) n`
  const rows = await sql`
    select a.account_id, ops.issue_key(a.account_id) as key, ops.deposit(a.account_id, 100000000, 'bench ' || a.account_id) as balance
    from (select account_id from ops.accounts order by account_id offset 0) a`
  await sql`vacuum analyze`
  return rows.map(({ account_id, key }) => ({ accountId: Number(account_id), key }))
}
