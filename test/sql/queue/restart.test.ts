import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedPostgres, startPostgres } from '../../../src/embedded_postgres/index.ts'
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

test('after a restart of the database, which drops all locks, the pools of before have time to come back', async () => {
  await withSql(server, (sql) => sql`select work.register_pool('pool-before', 201)`)
  await server.stop()
  await start()
  await withSql(server, async (sql) => {
    await sql`select work.register_pool('pool-after', 202)`
    for (let sweep = 0; sweep < 2; sweep += 1) {
      await sql`update supply.worker_pools set checked_at = now() - interval '5 s'`
      await sql`select work.sweep()`
    }
    expect(await sql`select pool_id from supply.worker_pools`).toEqual([{ pool_id: 'pool-before' }])
  })
})
