import { expect, test } from 'vitest'
import { createTestDatabase, testDatabase } from '../support/database.ts'

const database = testDatabase()

test('a test database has the migrated schemas and graphile-worker', async () => {
  const rows = await database.sql`
    select nspname from pg_namespace
    where nspname in ('supply', 'core', 'api', 'work', 'ops', 'graphile_worker', 'migrations') order by 1`
  expect(rows.map(({ nspname }) => nspname)).toEqual([
    'api',
    'core',
    'graphile_worker',
    'migrations',
    'ops',
    'supply',
    'work',
  ])
})

test('twelve test databases can be made at once, and are apart', async () => {
  const databases = await Promise.all(Array.from({ length: 12 }, () => createTestDatabase()))
  await Promise.all(
    databases.map(({ sql }, index) => sql.unsafe(`create table mark as select ${index} as mark`)),
  )
  const marks = await Promise.all(databases.map(({ sql }) => sql`select mark from mark`))
  expect(marks.map(([row]) => row?.mark)).toEqual(databases.map((_, index) => index))
  await Promise.all(databases.map(({ drop }) => drop()))
})

test('an empty test database has none of our schemas', async () => {
  const empty = await createTestDatabase({ empty: true })
  const [row] =
    await empty.sql`select to_regnamespace('supply') as supply, to_regnamespace('graphile_worker') as queue`
  expect(row).toEqual({ supply: null, queue: null })
  await empty.drop()
})
