import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import project from '../../package.json' with { type: 'json' }
import { migrate } from '../../src/migrate/migrate.ts'
import { expectedVersion } from '../../src/migrate/sql_files.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startProcess } from '../support/servers/service_process.ts'
import { type SqlFolders, sqlFolders } from './sql_folders.ts'

let database: TestDatabase
let folders: SqlFolders
const { version } = project

beforeEach(async () => {
  database = await createTestDatabase({ empty: true })
  folders = sqlFolders()
})

afterEach(async () => {
  folders.dispose()
  await database.drop()
})

const run = (log?: (line: string) => void) => migrate({ databaseUrl: database.url, ...folders, log })

describe('migrate', () => {
  test('gives an empty database the queue, the tables and the code, and then has nothing to do', async () => {
    folders.write('functions/api/one.sql', 'create or replace function api.one() returns int language sql return 1')
    expect(await run()).toEqual({ applied: ['0001_base'], codeReloaded: true })
    expect(await database.sql`select api.one(), to_regclass('graphile_worker.jobs') is not null as queue`).toEqual([
      { one: 1, queue: true },
    ])
    expect(await run()).toEqual({ applied: [], codeReloaded: false })
  })

  test('ends well though the server ends its connections while they close', async () => {
    const { hostname, port } = new URL(database.url)
    let closing = 0
    const text = 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'
    const fatal = Buffer.from(`E\0\0\0${String.fromCharCode(text.length + 4)}${text}`, 'latin1')
    const proxy = createServer((near) => {
      const far = connect(Number(port), hostname)
      near.on('error', () => {}).on('close', () => far.destroy())
      far.on('error', () => {}).on('close', () => near.end())
      far.pipe(near)
      near.on('data', (chunk) => {
        const isTerminate = chunk[0] === 'X'.charCodeAt(0)
        if (isTerminate) near.write(fatal, () => far.destroy())
        else far.write(chunk)
        if (isTerminate) closing += 1
      })
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const url = new URL(database.url)
    url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const migration = startProcess('migrate', { DATABASE_URL: url.href })
    expect(await migration.ended, migration.output()).toEqual({ code: 0, signal: null })
    expect(closing).toBeGreaterThan(1)
    proxy.close()
  })

  test('says it where the database knows no upper case outside ASCII', async () => {
    const lines: string[] = []
    await run((line) => lines.push(line))
    const [server] = await database.sql`select lower('Ч') = 'ч' as folds`
    expect(lines.some((line) => line.startsWith('the locale of the database'))).toBe(!server?.folds)
    const name = `${new URL(database.url).pathname.slice(1)}_c`
    await database.sql`create database ${database.sql(name)} template template0 encoding 'UTF8'
      locale_provider libc lc_collate 'C' lc_ctype 'C'`
    try {
      const url = new URL(database.url)
      url.pathname = `/${name}`
      await migrate({ databaseUrl: url.href, ...folders, log: (line) => lines.push(line) })
      expect(lines).toContainEqual(expect.stringMatching(/^the locale of the database, C, .* two references\b/))
    } finally {
      await database.sql`drop database if exists ${database.sql(name)} with (force)`
    }
  })

  test('writes the release down, also where nothing else changed', async () => {
    await run()
    await database.sql`update supply.code_version set release = '0.9.0'`
    expect(await run()).toEqual({ applied: [], codeReloaded: false })
    expect(await database.sql`select release from supply.code_version`).toEqual([{ release: version }])
  })

  test('applies only new migrations, and then loads the code again', async () => {
    await run()
    folders.write('migrations/0002_more.sql', 'create table supply.more ()')
    expect(await run()).toEqual({ applied: ['0002_more'], codeReloaded: false })
  })

  test('is safe three at a time', async () => {
    folders.write('functions/api/one.sql', 'create or replace function api.one() returns int language sql return 1')
    folders.write('migrations/0002_slow.sql', 'select pg_sleep(0.2); create table supply.slow ()')
    const results = await Promise.all([run(), run(), run()])
    expect(results.map(({ applied }) => applied.length).sort()).toEqual([0, 0, 2])
    expect(results.filter(({ codeReloaded }) => codeReloaded)).toHaveLength(1)
  })

  test('is safe for several databases of one server at a time', async () => {
    const others = await Promise.all([1, 2, 3].map(() => createTestDatabase({ empty: true })))
    const results = await Promise.all(others.map(({ url }) => migrate({ databaseUrl: url })))
    expect(results.every(({ codeReloaded }) => codeReloaded)).toBe(true)
    await Promise.all(others.map(({ drop }) => drop()))
  })

  test('shows the version that the files tell to expect', async () => {
    await run()
    const version = await database.sql`
      select (select name from migrations.applied order by id desc limit 1) as migration, checksum, release
      from supply.code_version`
    expect(version).toEqual([expectedVersion(folders)])
    folders.write('functions/api/one.sql', 'create or replace function api.one() returns int language sql return 1')
    expect(expectedVersion(folders)).not.toEqual(version[0])
  })

  test('waits for a lock that another session holds for a while', async () => {
    await run()
    folders.write('migrations/0002_column.sql', 'alter table supply.thing add column extra int')
    const lines: string[] = []
    await database.sql
      .begin(async (sql) => {
        await sql`lock table supply.thing in access share mode`
        const migrating = run((line) => lines.push(line))
        await expect.poll(() => lines.join()).toContain('waiting for a lock')
        return { migrating }
      })
      .then(({ migrating }) => migrating)
    expect(await database.sql`select extra from supply.thing`).toEqual([])
  })
})

describe('migrate refuses', () => {
  test('an edited migration', async () => {
    await run()
    folders.write('migrations/0001_base.sql', 'select 1')
    await expect(run()).rejects.toThrow(
      `this database is of release ${version}, and migration 0001_base of this program, of release ${version}, is not the`,
    )
  })

  test('a database from before the first release, and leaves its queue as it is', async () => {
    await run()
    await database.sql`alter table supply.code_version drop column release`
    await database.sql`drop schema graphile_worker cascade`
    folders.write('migrations/0001_base.sql', 'select 1')
    await expect(run()).rejects.toThrow(
      `this database was made before the first release, and cannot be upgraded to release ${version}: migrate a new data`,
    )
    expect(await database.sql`select to_regnamespace('graphile_worker') as queue`).toEqual([{ queue: null }])
  })

  test('a database of a later release, also where it has no further migration', async () => {
    await run()
    const state = () => database.sql`select release, checksum from supply.code_version`
    await database.sql`update supply.code_version set release = '9.10.0', checksum = 'later'`
    await expect(run()).rejects.toThrow(
      `this database is of release 9.10.0, and this program of release ${version}: migrate with the program of release ` +
        '9.10.0 or of a later one',
    )
    expect(await state()).toEqual([{ release: '9.10.0', checksum: 'later' }])
  })

  test('a database with a migration that it lacks', async () => {
    folders.write('migrations/0002_more.sql', 'create table supply.more ()')
    await run()
    folders.remove('migrations/0002_more.sql')
    await expect(run()).rejects.toThrow(`this program, of release ${version}, lacks its migration 0002_more`)
  })

  test('a migration with a number before that of an applied one', async () => {
    folders.write('migrations/0003_later.sql', 'create table supply.later ()')
    await run()
    folders.write('migrations/0002_late.sql', 'create table supply.late ()')
    await expect(run()).rejects.toThrow('migration 0002_late comes before 0003_later')
    expect(await database.sql`select to_regclass('supply.late') as late`).toEqual([{ late: null }])
  })

  test.each(['2_short.sql', '0002-dash.sql', '0002_x.ts'])('a file named %s', async (name) => {
    folders.write(`migrations/${name}`, 'select 1')
    await expect(run()).rejects.toThrow(`${name} is no migration: the name must be NNNN_name.sql`)
  })

  test('two migrations with one number', async () => {
    folders.write('migrations/0001_other.sql', 'select 1')
    await expect(run()).rejects.toThrow('migrations 0001_base.sql and 0001_other.sql have the same number')
  })

  test('a migration that fails, of which nothing stays, and keeps those before it', async () => {
    folders.write('migrations/0002_good.sql', 'create table supply.good ()')
    folders.write('migrations/0003_bad.sql', 'create table supply.bad (); select 1/0')
    await expect(run()).rejects.toThrow('migration 0003_bad failed: division by zero')
    expect(
      await database.sql`select to_regclass('supply.good')::text as good, to_regclass('supply.bad') as bad`,
    ).toEqual([{ good: 'supply.good', bad: null }])
    folders.write('migrations/0003_bad.sql', 'create table supply.bad ()')
    expect(await run()).toMatchObject({ applied: ['0003_bad'] })
  })
})
