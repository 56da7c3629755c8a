import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { generateTypes } from '../../src/migrate/generate_types.ts'
import { createTestDatabase } from '../support/database.ts'

const target = join(import.meta.dirname, '../../src/database/functions.ts')

async function generated(sql: string): Promise<string> {
  const fresh = await createTestDatabase({ empty: true })
  try {
    await fresh.sql.unsafe(
      `create schema api; create schema work; create schema ops; create schema core; ${sql}`,
    )
    return await generateTypes(fresh.url)
  } finally {
    await fresh.drop()
  }
}

test('the file that the program uses is what the functions say', async () => {
  const migrated = await createTestDatabase()
  expect(await generateTypes(migrated.url)).toBe(readFileSync(target, 'utf8'))
  await migrated.drop()
})

test('arguments with a default are optional, results follow the form of the function', async () => {
  const text = await generated(`
    create function api.value(a int, b bigint default 1) returns numeric language sql return 1;
    create function api.nothing() returns void language sql as '';
    create function api.list(ids uuid[]) returns timestamptz language sql return now();
    create function api.table(doc jsonb) returns table (n float8, doc json) language sql as 'select 1::float8, null::json';
    create function work.single(out a boolean) language sql return true;
    create function core.private() returns int language sql return 1;
    create table ops.things (id int, name text);
    create function ops.things_of() returns setof ops.things language sql as 'select * from ops.things';
    create function ops.on_change() returns trigger language plpgsql as 'begin return null; end'`)
  const types = text.slice(text.indexOf('export type'), text.indexOf('export const'))
  expect(types).toBe(`export type Functions = {
  'api.list': {
    args: { ids: readonly (string | null)[] | null }
    result: Date | null
  }
  'api.nothing': {
    args: Record<string, never>
    result: undefined
  }
  'api.table': {
    args: { doc: unknown }
    result: { n: number; doc: string }[]
  }
  'api.value': {
    args: { a: number | null; b?: string | number | bigint | null }
    result: string | null
  }
  'ops.things_of': {
    args: Record<string, never>
    result: { id: number; name: string }[]
  }
  'work.single': {
    args: Record<string, never>
    result: boolean | null
  }
}

`)
  expect(text.slice(text.indexOf('export const'))).toBe(`export const functions = {
  'api.list': { args: { ids: 'uuid[]' }, returns: 'value' },
  'api.nothing': { args: {}, returns: 'void' },
  'api.table': { args: { doc: 'jsonb' }, returns: 'rows' },
  'api.value': { args: { a: 'integer', b: 'bigint' }, returns: 'value' },
  'ops.things_of': { args: {}, returns: 'rows' },
  'work.single': { args: {}, returns: 'value' },
} as const
`)
})

test('the comment of a function says which columns may be null', async () => {
  const text = await generated(`
    create function api.f() returns table (a int, b text, c jsonb) language sql as $$ select 1, 'x', '{}'::jsonb $$;
    comment on function api.f is 'What it gives. */
nullable: b'`)
  expect(text).toContain('/** What it gives. * / nullable: b */')
  expect(text).toContain('result: { a: number; b: string | null; c: unknown }[]')
})

test.each([
  [
    'an argument without a name',
    'create function api.f(int) returns int language sql return $1',
    'api.f has an argument without a name',
  ],
  [
    'a type that cannot be passed',
    'create function api.f(p point) returns int language sql return 1',
    'api.f uses the type point, which the client cannot pass',
  ],
  [
    'a result that is an array',
    `create function api.f() returns text[] language sql return '{}'::text[]`,
    'api.f uses the type text[], which the client cannot pass',
  ],
  [
    'a set of scalars',
    'create function api.f() returns setof integer language sql return 1',
    'api.f returns a set of integer, which the client cannot parse',
  ],
  [
    'a single row',
    'create function api.f(out a integer, out b integer) language sql return (1, 2)',
    'api.f returns a single row, which the client cannot parse',
  ],
  [
    'a nullable column that there is not',
    `create function api.f() returns table (a int) language sql as 'select 1'; comment on function api.f is 'nullable: b'`,
    'the comment of api.f calls b nullable, which is no column of it',
  ],
])('%s is refused', async (_what, sql, message) => {
  await expect(generated(sql)).rejects.toThrow(message)
})
