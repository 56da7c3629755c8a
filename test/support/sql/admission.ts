import { createHash } from 'node:crypto'
import type postgres from 'postgres'

export type Visit = { client?: string; key?: string; origin?: string; count?: boolean }

/** What the admission says about a GET request that has these properties. */
export async function visit(sql: postgres.Sql, { client = '203.0.113.9', key, origin, count = false }: Visit) {
  const keyHash = key === undefined ? null : createHash('sha256').update(key).digest('hex')
  const request = { ordinal: 1, client, keyHash, origin: origin ?? null, write: false, allowOrigin: false, count }
  const [row] = await sql`select verdict, limit_per_minute from api.admit(${sql.json([request])}, 500)`
  return { verdict: row?.verdict, limit: row?.limit_per_minute }
}
