import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { addressOf, startProcess } from '../support/servers/service_process.ts'
import { startTcpProxy } from '../support/servers/tcp_proxy.ts'

const line = 'the database lacks the migrations of this release: run npm run migrate, then start this again\n'
let database: TestDatabase

afterEach(() => database.drop())

/** Starts a part of the service on a database, with the settings that it needs. */
const start = (part: string, settings = {}) =>
  startProcess(part, {
    DATABASE_URL: database.url,
    PORT: '0',
    LOG_LEVEL: part === 'worker' ? 'info' : 'fatal',
    ...settings,
  })

test.each([
  ['api', 'without migrations', undefined],
  [
    'api',
    'without the latest migration',
    'delete from migrations.applied where id = (select max(id) from migrations.applied)',
  ],
  ['worker', 'with other functions', `update supply.code_version set checksum = 'other'`],
  ['worker', 'of a release without that check', 'drop function work.readiness'],
])('npm run %s on a database %s ends with one line', async (part, _what, change) => {
  database = await createTestDatabase({ empty: change === undefined })
  if (change !== undefined) await database.sql.unsafe(change)
  const started = start(part)
  expect(await started.ended, started.output()).toMatchObject({ code: 1 })
  expect(started.output()).toBe(line)
})

test('a worker starts on a database of a later release', async () => {
  database = await createTestDatabase()
  await database.sql`insert into migrations.applied (name, run_on, checksum) values ('9999_later', now(), 'x')`
  await database.sql`update supply.code_version set checksum = 'other'`
  const started = start('worker')
  await started.says(/the worker runs/)
  expect(await started.end()).toBe(0)
})

describe('npm run api, started while its database is away,', () => {
  test.each([
    ['has no migrations, with DATA_KEYS', { empty: true }, { DATA_KEYS: `k1:${'A'.repeat(43)}=` }],
    ['lacks the latest migration', {}, {}],
  ])('ends with one line if that %s', async (_what, made, settings) => {
    database = await createTestDatabase(made)
    if (!('empty' in made)) await database.sql`update supply.code_version set checksum = 'other'`
    const proxy = await startTcpProxy(database.url)
    onTestFinished(() => proxy.close())
    proxy.set('refuse')
    const api = start('api', { DATABASE_URL: proxy.url, LOG_LEVEL: 'error', ...settings })
    await expect.poll(proxy.connections).toBeGreaterThan(1)
    proxy.set('pass')
    expect(await api.ended, api.output()).toMatchObject({ code: 1 })
    expect(api.output().match(/^.*npm run migrate.*$/gm), api.output()).toHaveLength(1)
  })

  test('serves once that answers, and records its settings', async () => {
    database = await createTestDatabase()
    const proxy = await startTcpProxy(database.url)
    onTestFinished(() => proxy.close())
    proxy.set('refuse')
    const api = start('api', { DATABASE_URL: proxy.url, BUSINESS_TIME_ZONE: 'Europe/Berlin' })
    const url = await addressOf(api)
    const status = async (path: string) => (await fetch(url + path)).status
    expect(await status('/livez')).toBe(200)
    expect(await status('/readyz')).toBe(503)
    proxy.set('pass')
    await expect.poll(() => status('/readyz')).toBe(200)
    await expect.poll(() => database.sql`select name from supply.business_zone`).toEqual([{ name: 'Europe/Berlin' }])
    expect(await api.end()).toBe(0)
  })
})
