import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedPostgres, startPostgres } from '../../../src/embedded_postgres/start.ts'
import { database, fillWithMigrations } from '../../support/servers/migrated_cluster.ts'

// A server of its own, as only one that has just started shows this.
let server: EmbeddedPostgres
let sql: postgres.Sql

beforeAll(async () => {
  const dataDir = join(tmpdir(), `supply-ordering-test-${randomUUID()}`)
  await fillWithMigrations(dataDir)
  server = await startPostgres({ dataDir, durable: false, database })
  sql = postgres(server.url, { max: 1, onnotice: () => {} })
})

afterAll(async () => {
  await sql.end({ timeout: 1 })
  await server.stop()
  rmSync(server.dataDir, { recursive: true, force: true })
})

test('the sweep after a restart of the database spares a pool whose last heartbeat is less than a minute old', async () => {
  for (const [pool, age] of Object.entries({ 'pool-lives': '30 s', 'pool-dead': '61 s' })) {
    await sql`select work.heartbeat(${[pool]}, 0)`
    await sql`
      update supply.worker_pools set started_at = now() - interval '1 hour', seen_at = now() - ${age}::interval
      where pool_id = ${pool}`
  }
  await sql`select work.sweep()`
  const [row] = await sql`
    select array_agg(pool_id) as pools, now() - pg_postmaster_start_time() < interval '18 s' as is_fresh
    from supply.worker_pools`
  expect(row).toEqual({ pools: ['pool-lives'], is_fresh: true })
})
