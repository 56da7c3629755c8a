import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { afterAll, beforeAll, inject } from 'vitest'
import { withSql } from '../embedded_postgres/support.ts'

export type TestDatabase = {
  /** A superuser's URL. */
  url: string
  name: string
  /** A superuser's client, for the test's own SQL. */
  sql: postgres.Sql
  /** Closes the client and removes the database, whoever is still connected to it. */
  drop(): Promise<void>
}

const attempts = 100

/**
 * Makes a database of the test's own: a copy of the migrated template, or of another one that nobody is connected to, or
 * an empty one. Takes about 30 ms. Settings made by `alter database` are not part of a copy. With `catalog` it has what
 * `makeCatalog` makes, at a supplier that does not answer.
 */
export async function createTestDatabase({
  empty = false,
  catalog = false,
  from = inject(catalog ? 'catalogDatabase' : 'templateDatabase'),
} = {}): Promise<TestDatabase> {
  const serverUrl = inject('serverUrl')
  const name = `supply_test_${process.pid}_${randomBytes(6).toString('hex')}`
  await withSql({ url: serverUrl }, (server) => copyTemplate(server, name, empty ? 'template0' : from))
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  const sql = postgres(url.href, { max: 5, onnotice: () => {} })
  return {
    url: url.href,
    name,
    sql,
    drop: async () => {
      await sql.end({ timeout: 1 })
      await withSql({ url: serverUrl }, (server) => server`drop database if exists ${server(name)} with (force)`)
    },
  }
}

/**
 * For a test file or a describe: a database before its first test, gone after its last.
 * Use the result's members inside tests and hooks only; before, they throw.
 */
export function testDatabase(options: { empty?: boolean; catalog?: boolean } = {}): TestDatabase {
  let database: TestDatabase | undefined
  const present = (): TestDatabase => {
    if (database === undefined) throw new Error('the test database exists only inside tests and hooks')
    return database
  }
  beforeAll(async () => {
    database = await createTestDatabase(options)
  })
  afterAll(async () => {
    await database?.drop()
  })
  return {
    get url() {
      return present().url
    },
    get name() {
      return present().name
    },
    get sql() {
      return present().sql
    },
    drop: () => present().drop(),
  }
}

/** Makes functions fail as only a bug does. */
export async function breakFunctions(sql: postgres.Sql, ...names: string[]): Promise<void> {
  const functions = await sql`
    select pg_get_functiondef(name::regproc) as definition from unnest(${names}::text[]) as name`
  for (const { definition } of functions) {
    const head = String(definition).replace(/\sLANGUAGE[\s\S]*$/, '')
    await sql.unsafe(`${head} language plpgsql as $$ begin raise exception 'broken'; end $$`)
  }
}

// A template can be copied by one session at a time: the others get 55006 object_in_use. Its files are copied as they
// are, since through the write-ahead log a copy costs twice as much.
async function copyTemplate(server: postgres.Sql, name: string, template: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await server`create database ${server(name)} template ${server(template)} strategy file_copy`
      return
    } catch (error) {
      const busy = error instanceof postgres.PostgresError && error.code === '55006'
      if (!busy || attempt === attempts) throw error
      await sleep(20 + Math.random() * 30)
    }
  }
}
