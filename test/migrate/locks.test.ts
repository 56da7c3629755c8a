import type postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrate } from '../../src/migrate/migrate.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type SqlFolders, sqlFolders } from './sql_folders.ts'

let database: TestDatabase
let folders: SqlFolders
let lines: string[]

beforeEach(async () => {
  database = await createTestDatabase({ empty: true })
  folders = sqlFolders()
  lines = []
  defineView('ops.things', 'select t.* from supply.thing t')
  defineView('ops.more', 'select m.* from ops.things m')
  defineFunction(1)
  await run()
})

afterEach(async () => {
  folders.dispose()
  await database.drop()
})

const run = (lockWaitMs?: number) =>
  migrate({ databaseUrl: database.url, ...folders, lockWaitMs, log: (line) => lines.push(line) })

const defineView = (name: string, query: string) =>
  folders.write(
    `functions/${name.replace('.', '/')}.sql`,
    `create or replace view ${name} as ${query}; comment on view ${name} is 'Things.';`,
  )

const defineFunction = (n: number) =>
  folders.write(
    'functions/api/n.sql',
    `create or replace function api.n() returns int language sql return (select ${n} from ops.more limit 1)`,
  )

const said = () => expect.poll(() => lines.join('\n'))

/** Runs the work while a transaction is open that has read; the work ends it by `end`, or its own end does. */
async function besideReader(read: string, work: (end: () => Promise<void>) => Promise<void>) {
  const session = await database.sql.reserve()
  try {
    await session.unsafe('begin')
    await session.unsafe(read)
    await work(async () => {
      await session.unsafe('commit')
    })
    await session.unsafe('rollback')
  } finally {
    session.release()
  }
}

describe('beside an open transaction that has read all views and called all functions', () => {
  const read = 'select * from ops.things; select * from ops.more; select api.n()'

  test('code is loaded at once where no view changed', async () => {
    defineFunction(2)
    folders.write('functions/api/same.sql', 'create or replace function api.same() returns int language sql return 3')
    await besideReader(read, async () => {
      expect(await run(0)).toMatchObject({ codeReloaded: true })
    })
    await database.sql`insert into supply.thing values (1, 'x')`
    expect(await database.sql`select api.n(), api.same()`).toEqual([{ n: 2, same: 3 }])
  })

  test('a migration that touches none of the tables that it read runs at once', async () => {
    folders.write('migrations/0002_more.sql', 'create table supply.more ()')
    await besideReader(read, async () => {
      expect(await run(0)).toEqual({ applied: ['0002_more'], codeReloaded: false })
    })
  })

  test('a changed view is replaced once the transaction ended; calls with the time-out of the API pass until then', async () => {
    defineView('ops.things', `select t.*, 'new' as extra from supply.thing t`)
    let calls = 0
    const caller = async (sql: postgres.ReservedSql, ended: () => boolean) => {
      await sql`set lock_timeout = '1s'`
      while (!ended()) {
        await sql`select * from ops.more`
        calls += 1
      }
      sql.release()
    }
    await besideReader(read, async (end) => {
      let ended = false
      const calling = caller(await database.sql.reserve(), () => ended)
      const migrating = run()
      await said().toContain('waiting for a lock')
      const before = calls
      // Some attempts: each closes the way for a moment, and calls pass between them.
      await expect.poll(() => calls - before).toBeGreaterThan(200)
      await said().toMatch(/waiting for a lock: session \d+ \(login /)
      await end()
      await migrating
      ended = true
      await calling
    })
    await database.sql`insert into supply.thing values (1, 'x')`
    expect(await database.sql`select * from ops.more`).toEqual([{ id: 1, name: 'x', extra: 'new' }])
  })
})

describe('giving up names who is in the way, and leaves the database as it was,', () => {
  test('where a view is read that has to go', async () => {
    folders.remove('functions/ops/more.sql')
    folders.remove('functions/api/n.sql')
    await besideReader(`set application_name = 'a report'; select 1 as one,\n  * from ops.more`, async () => {
      await expect(run(1_000)).rejects.toThrow(
        /lock timeout; session \d+ \(login \S+, application a report, idle in transaction, its transaction open for \d+ s, statement: .*select 1 as one, \* from ops\.more\) is in the way/,
      )
    })
    expect(await database.sql`select * from ops.more`).toEqual([])
    expect(await run()).toMatchObject({ codeReloaded: true })
    expect(await database.sql`select to_regclass('ops.more') as view`).toEqual([{ view: null }])
  })

  test('where a migration changes a table that is read', async () => {
    folders.write('migrations/0002_column.sql', 'alter table supply.thing add column extra int')
    await besideReader('select * from supply.thing', async () => {
      await expect(run(1_000)).rejects.toThrow(
        /migration 0002_column failed: .*lock timeout; session \d+ \(login .* is in the way/,
      )
    })
    expect(await run()).toMatchObject({ applied: ['0002_column'] })
  })
})
