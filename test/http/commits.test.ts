import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedPostgres, startPostgres } from '../../src/embedded_postgres/start.ts'
import { newFolder, stopAndRemove } from '../embedded_postgres/support.ts'
import { makeCatalog, makePartner, type Partner, products } from '../support/partner.ts'
import { database, fillWithMigrations } from '../support/servers/migrated_cluster.ts'
import { startApi, type TestApi } from '../support/service.ts'

// A server of its own: which standbys there are is a setting of the whole server.
const folder = newFolder()
let server: EmbeddedPostgres | undefined
let sql: postgres.Sql
let api: TestApi
let partner: Partner

beforeAll(async () => {
  await fillWithMigrations(folder)
  server = await startPostgres({ dataDir: folder, durable: true, database })
  // What the test itself sets up waits for no standby.
  sql = postgres(server.url, { max: 1, connection: { synchronous_commit: 'local' }, onnotice: () => {} })
  partner = await makePartner(sql)
  await makeCatalog(sql, { url: 'http://127.0.0.1:1', token: 't' })
  api = await startApi(server.url)
})
afterAll(async () => {
  await api?.close()
  await sql?.end({ timeout: 1 })
  await stopAndRemove(server, folder)
})

async function setStandby(name: string): Promise<void> {
  await sql.unsafe(`alter system set synchronous_standby_names = '${name}'`)
  await sql`select pg_reload_conf()`
}

const readiness = async () => (await api.get('/readyz')).status

test('the process is ready only while the database commits', async () => {
  expect(await readiness()).toBe(200)
  await setStandby('gone')
  await expect.poll(readiness).toBe(503)
  const body = { externalOrderId: 'order', items: [{ productId: products.key }] }
  expect((await api.post('/b2b/orders', { key: partner.key, body })).status).toBe(503)
  expect(await readiness()).toBe(503)
  expect((await api.get('/livez')).status).toBe(200)
  await setStandby('')
  await expect.poll(readiness).toBe(200)
})

test('readiness checks share one test commit a second', async () => {
  const end = async () => {
    const [row] = await sql`select pg_current_xact_id()::text::int as xid`
    return row?.xid
  }
  await readiness()
  const before = await end()
  for (let round = 0; round < 5; round += 1) await Promise.all(Array.from({ length: 20 }, readiness))
  expect((await end()) - before).toBeLessThan(20)
})
