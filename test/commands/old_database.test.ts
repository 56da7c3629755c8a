import { afterEach, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startProcess } from '../support/servers/service_process.ts'

const line = 'the database lacks the migrations of this release: run npm run migrate, then start this again\n'
let database: TestDatabase

afterEach(() => database.drop())

/** Starts a part of the service on a database, with the settings that it needs. */
const start = (part: string) =>
  startProcess(part, { DATABASE_URL: database.url, PORT: '0', LOG_LEVEL: part === 'worker' ? 'info' : 'fatal' })

test.each(['api', 'worker'])('npm run %s on a database without migrations ends with one line', async (part) => {
  database = await createTestDatabase({ empty: true })
  const started = start(part)
  expect(await started.ended, started.output()).toMatchObject({ code: 1 })
  expect(started.output()).toBe(line)
})

test.each([
  [
    'api',
    'without the latest migration',
    'delete from migrations.applied where id = (select max(id) from migrations.applied)',
  ],
  [
    'worker',
    'without the latest migration',
    'delete from migrations.applied where id = (select max(id) from migrations.applied)',
  ],
  ['api', 'with other functions', `update supply.code_version set checksum = 'other'`],
  ['worker', 'with other functions', `update supply.code_version set checksum = 'other'`],
  ['worker', 'of a release without that check', 'drop function work.readiness'],
])('npm run %s on a database %s ends with one line', async (part, _what, change) => {
  database = await createTestDatabase()
  await database.sql.unsafe(change)
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
