import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/migrate/migrate.ts'
import { testDatabase } from '../support/database.ts'

// A login that may make temporary objects puts types of its own in pg_temp: a domain with the name of a type that our
// functions use, whose check calls the attacker's function with the rights of whoever runs it.
const database = testDatabase()
const types = ['jsonb', 'text', 'uuid', 'inet', 'cidr', 'numeric', 'timestamptz', 'interval']

beforeAll(async () => {
  await migrate({ databaseUrl: database.url })
  await database.sql`create role of_nobody login password 'x'`
})
afterAll(() => database.sql`drop role of_nobody`)

async function asRole<T>(connection: object, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(database.url, { max: 1, onnotice: () => {}, connection })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

test.each([
  ['supply_api', `select * from api.admit('[]', 500)`],
  ['supply_worker', `select * from work.begin_calls('{00000000-0000-4000-8000-000000000000}', '{}', null)`],
  ['supply_worker', `select * from work.finish_deliveries('[{"ordinal": 1}]', 0, null)`],
  ['supply_operator', `select ops.webhook_secret(1)`],
  ['supply_operator', `select * from ops.help()`],
])('a type that %s could make in pg_temp gets no right of the owner by %s', async (role, call) => {
  await database.sql.unsafe(`grant temporary on database ${database.name} to public`)
  const error = await asRole({ role }, async (sql) => {
    await sql.unsafe(`
      create temporary sequence seen;
      create function pg_temp.own(given text) returns boolean language plpgsql as $$
      begin
        if current_user = 'supply_owner' then raise exception 'owned by %', session_user using errcode = 'P0666'; end if;
        return true;
      end $$;
      ${types.map((type) => `create domain pg_temp."${type}" as pg_catalog.${type} check (pg_temp.own(value::pg_catalog.text))`).join(';\n')}`)
    return sql.unsafe(call).then(
      () => null,
      (reason: unknown) => reason,
    )
  })
  await database.sql.unsafe(`revoke temporary on database ${database.name} from public`)
  expect(error).not.toMatchObject({ code: 'P0666' })
})

test('a login without rights makes no large objects', async () => {
  const url = new URL(database.url)
  Object.assign(url, { username: 'of_nobody', password: 'x' })
  const nobody = postgres(url.href, { max: 1, onnotice: () => {} })
  await expect(nobody`select lo_from_bytea(0, 'x')`).rejects.toMatchObject({ code: '42501' })
  await nobody.end({ timeout: 1 })
})
