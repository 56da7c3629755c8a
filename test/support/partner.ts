import type postgres from 'postgres'
import demoCatalog from '../../db/seed/demo.json' with { type: 'json' }

export type Partner = { accountId: number; keyId: number; key: string }

export type PartnerOptions = {
  name?: string
  /** In roubles. */
  balance?: number
  kind?: 'supply' | 'storefront'
  mode?: 'live' | 'test'
  currency?: string
}

/** An account with a full key and a deposit, as an operator would make it. */
export async function makePartner(sql: postgres.Sql, options: PartnerOptions = {}): Promise<Partner> {
  const { name = 'A partner', balance = 1000, kind = 'supply', mode = 'live', currency = 'RUB' } = options
  const [account] = await sql`select ops.create_account(${name}, ${kind}, ${mode}, ${currency}) as id`
  const accountId = Number(account?.id)
  if (balance > 0) {
    await sql`select ops.deposit(${accountId}, ${balance}, 'first deposit', allow => '{known_reference}')`
  }
  const [issued] = await sql`select ops.issue_key(${accountId}) as key`
  const [row] = await sql`select key_id from ops.api_keys where account_id = ${accountId}`
  return { accountId, keyId: Number(row?.key_id), key: issued?.key }
}

export const products = { topUp: 101, key: 102, expensive: 103, outOfStock: 104, dollars: 105 } as const

/** The field that a top-up asks for. */
const playerId = { id: 'gameUserId', type: 'text', label: 'Player ID', required: true, placeholder: '123456789' }

/**
 * A small catalog at one supplier: a top-up at 10.50, a product of keys at 20.00, one at 100.00, one out of stock,
 * and one in another currency. Where a database has it from its template, this only changes the supplier.
 */
export async function makeCatalog(sql: postgres.Sql, supplier: { url: string; token: string; code?: string }) {
  const code = supplier.code ?? 'first'
  const fields = sql.json([playerId])
  await sql`select ops.upsert_supplier(${code}, ${supplier.url}, ${supplier.token})`
  const made = await sql`select supplier from supply.offers where supplier = ${code} and product_id = ${products.topUp}`
  if (made.length > 0) return
  await sql`select ops.upsert_game('space-trader', 'Space Trader')`
  await sql`select ops.upsert_product(${products.topUp}, 'space-trader', '100 credits', 10.50, 'RUB', 'id_only', ${fields})`
  await sql`select ops.upsert_product(${products.key}, 'space-trader', 'Gift key', 20.00, 'RUB', 'key')`
  await sql`select ops.upsert_product(${products.expensive}, 'space-trader', '1000 credits', 100.00, 'RUB', 'id_only', ${fields})`
  await sql`select ops.upsert_product(${products.outOfStock}, 'space-trader', 'Sold out', 5.00, 'RUB', 'id_only', ${fields},
    in_stock => false)`
  await sql`select ops.upsert_product(${products.dollars}, 'space-trader', 'In dollars', 1.00, 'USD', 'id_only', ${fields})`
  for (const id of Object.values(products)) await sql`select ops.upsert_offer(${id}, ${code}, ${`sku-${id}`})`
}

/** The catalog of the demo, whose two suppliers are this one. */
export async function loadDemoCatalog(sql: postgres.Sql, { url, token }: { url: string; token: string }) {
  const suppliers = ['demo', 'demo-reserve'].map((code) => ({ code, base_url: url, token }) as object)
  suppliers.push({ code: 'demo-vault', protocol: 'stock' })
  await sql`select ops.load_catalog(${sql.json({ ...demoCatalog, suppliers } as never)})`
}
