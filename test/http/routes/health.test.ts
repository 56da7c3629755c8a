import { afterEach, describe, expect, test } from 'vitest'
import { refuseOldDatabase } from '../../../src/commands/connections.ts'
import { expectedVersion } from '../../../src/migrate/sql_files.ts'
import { testDatabase } from '../../support/database.ts'
import { startApi, testApi } from '../../support/service.ts'

const database = testDatabase()
const api = testApi(() => database.url)

test('/livez answers without a key', async () => {
  expect(await api().get('/livez')).toMatchObject({ status: 200, json: { success: true } })
})

describe('/readyz', () => {
  const { checksum, migration, release } = expectedVersion()
  const renameLast = (name: string) =>
    database.sql`update migrations.applied set name = ${name} where id = (select max(id) from migrations.applied)`
  afterEach(async () => {
    await database.sql`update supply.code_version set checksum = ${checksum}, release = ${release}`
    await renameLast(migration)
  })

  test('is 200 without a key if the database has this program’s version', async () => {
    const answer = await api().get('/readyz')
    expect(answer).toMatchObject({ status: 200, json: { success: true } })
    expect(answer.headers['x-ratelimit-limit']).toBeUndefined()
  })

  test('is 503 with Retry-After if migrations are missing', async () => {
    await renameLast('0000_older')
    const answer = await api().get('/readyz')
    expect(answer).toMatchObject({ status: 503, json: { code: 'UNAVAILABLE' } })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  })

  test('is 503 if the functions are not those of this program', async () => {
    await database.sql`update supply.code_version set checksum = 'older'`
    const fresh = await startApi(database.url)
    expect((await fresh.get('/readyz')).status).toBe(503)
    await database.sql`update supply.code_version set checksum = ${checksum}`
    expect((await fresh.get('/readyz')).status).toBe(200)
    await fresh.close()
  })

  // It was never asked before, or is started again after a crash, or to go back.
  test.each([
    ['with migrations', migration.replace(/^\d+/, '9999'), release],
    ['without one', migration, release.replace(/^\d+/, '10')],
  ])('is 200 for a fresh program after a later release has migrated, %s', async (_, last, later) => {
    await database.sql`update supply.code_version set checksum = 'newer', release = ${later}`
    await renameLast(last)
    const fresh = await startApi(database.url)
    expect((await fresh.get('/readyz')).status).toBe(200)
    await fresh.close()
    await refuseOldDatabase(() => api().db.call('api.readiness', {}))
  })

  test('stays 200 while functions are replaced within a release', async () => {
    expect((await api().get('/readyz')).status).toBe(200)
    await database.sql`update supply.code_version set checksum = 'newer'`
    expect((await api().get('/readyz')).status).toBe(200)
    await expect(refuseOldDatabase(() => api().db.call('api.readiness', {}))).rejects.toThrow('run npm run migrate')
  })
})
