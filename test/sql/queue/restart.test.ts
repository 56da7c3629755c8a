import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedPostgres, startPostgres } from '../../../src/embedded_postgres/start.ts'
import { migrate } from '../../../src/migrate/migrate.ts'
import { newFolder, stopAndRemove, withSql } from '../../embedded_postgres/support.ts'

// A server of the test's own, for it is restarted.
const dataDir = newFolder()
let server: EmbeddedPostgres
const start = async () => {
  server = await startPostgres({ dataDir, durable: false })
}

beforeAll(async () => {
  await start()
  await migrate({ databaseUrl: server.url })
})
afterAll(() => stopAndRemove(server, dataDir))

test('after a restart of the database, the earlier pools have time to write a heartbeat', async () => {
  await withSql(server, (sql) => sql`select work.register_pool('pool-before')`)
  await server.stop()
  await start()
  await withSql(server, async (sql) => {
    await sql`select work.register_pool('pool-after')`
    await sql`update supply.worker_pools set seen_at = pg_postmaster_start_time() - interval '11 s' where pool_id = 'pool-before'`
    await sql`select work.sweep()`
    expect(await sql`select pool_id from supply.worker_pools order by 1`).toEqual([
      { pool_id: 'pool-after' },
      { pool_id: 'pool-before' },
    ])
  })
})
