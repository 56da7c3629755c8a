import postgres from 'postgres'
import { afterEach, describe, expect, test } from 'vitest'
import { migrate } from '../../src/migrate/migrate.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

// A login that may make temporary objects puts types of its own in pg_temp: a domain with the name of a type that our
// functions use, whose check calls the attacker's function with the rights of whoever runs it.

const attacks = [
  { role: 'supply_api', call: `select * from api.admit('[]', 500)` },
  {
    role: 'supply_worker',
    call: `select * from work.begin_calls('{00000000-0000-4000-8000-000000000000}', '{}', null)`,
  },
  { role: 'supply_worker', call: `select * from work.finish_deliveries('[{"ordinal": 1}]', 0, null)` },
  { role: 'supply_operator', call: `select ops.webhook_secret(1)` },
  { role: 'supply_operator', call: `select * from ops.help()` },
]
const types = ['jsonb', 'text', 'uuid', 'inet', 'cidr', 'numeric', 'timestamptz', 'interval']

let database: TestDatabase
afterEach(() => database.drop())

async function asRole<T>(role: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(database.url, { max: 1, onnotice: () => {}, connection: { role } })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** Who the attacker's code ran as. */
async function attack(sql: postgres.Sql, call: string): Promise<string[]> {
  await sql.unsafe(`
    create temporary sequence seen;
    create function pg_temp.own(given text) returns boolean language plpgsql as $$
    begin
      if current_user = 'supply_owner' then raise exception 'owned by %', session_user using errcode = 'P0666'; end if;
      return true;
    end $$;
    ${types.map((type) => `create domain pg_temp."${type}" as pg_catalog.${type} check (pg_temp.own(value::pg_catalog.text))`).join(';\n')}`)
  try {
    await sql.unsafe(call)
  } catch (error) {
    if (error instanceof postgres.PostgresError && error.code === 'P0666') return ['supply_owner']
  }
  return []
}

describe.each(attacks)('a type in pg_temp and $call as $role', ({ role, call }) => {
  test('cannot be made', async () => {
    database = await createTestDatabase()
    await migrate({ databaseUrl: database.url })
    await expect(asRole(role, (sql) => sql`create domain pg_temp.jsonb as pg_catalog.jsonb`)).rejects.toThrow(
      'permission denied to create temporary tables',
    )
  })

  test('does nothing, even where temporary objects can be made', async () => {
    database = await createTestDatabase()
    await database.sql.unsafe(`grant temporary on database ${database.name} to public`)
    expect(await asRole(role, (sql) => attack(sql, call))).toEqual([])
  })
})

test('a login without rights makes no large objects', async () => {
  const database = await createTestDatabase()
  await database.sql`create role of_nobody login password 'x'`
  const url = new URL(database.url)
  Object.assign(url, { username: 'of_nobody', password: 'x' })
  const nobody = postgres(url.href, { max: 1, onnotice: () => {} })
  try {
    await expect(nobody`select lo_from_bytea(0, 'x')`).rejects.toMatchObject({ code: '42501' })
  } finally {
    await nobody.end({ timeout: 1 })
    await database.sql`drop role of_nobody`
    await database.drop()
  }
})
