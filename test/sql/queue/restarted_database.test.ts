import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedPostgres, startPostgres } from '../../../src/embedded_postgres/start.ts'
import { migrate } from '../../../src/migrate/migrate.ts'

// A server of its own, as only one that has just started shows this.
let server: EmbeddedPostgres
let sql: postgres.Sql

beforeAll(async () => {
  const dataDir = join(tmpdir(), `supply-ordering-test-${randomUUID()}`)
  server = await startPostgres({ dataDir, durable: false, database: 'restarted' })
  await migrate({ databaseUrl: server.url })
  sql = postgres(server.url, { max: 1, onnotice: () => {} })
})

afterAll(async () => {
  await sql.end({ timeout: 1 })
  await server.stop()
  rmSync(server.dataDir, { recursive: true, force: true })
})

/** A pool from before the restart whose last heartbeat is so old. */
async function poolFromBefore(poolId: string, age: string): Promise<void> {
  await sql`select work.register_pool(${poolId})`
  await sql`update supply.worker_pools
    set started_at = now() - interval '1 hour', seen_at = now() - ${age}::interval
    where pool_id = ${poolId}`
}

test('a worker whose heartbeat came before a restart of the database gets 20 s, but a minute at most', async () => {
  await poolFromBefore('pool-lives', '30 s')
  await poolFromBefore('pool-dead', '61 s')
  const [row] =
    await sql`select core.dead_pools() as pools, now() - pg_postmaster_start_time() < interval '18 s' as is_fresh`
  expect(row?.is_fresh).toBe(true)
  expect(row?.pools).toEqual(['pool-dead'])
})
