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
      `create schema api; create schema work; create schema ops; create schema core; create schema supply; ${sql}`,
    )
    return await generateTypes(fresh.url)
  } finally {
    await fresh.drop()
  }
}

test('the generated file of the program matches the functions', async () => {
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
    create function ops.redeliver() returns int language sql return 1;
    create table supply.things (id int, name text);
    create function work.things_of() returns setof supply.things language sql as 'select * from supply.things';
    create function work.on_change() returns trigger language plpgsql as 'begin return null; end'`)
  expect(text.slice(text.indexOf('export const'))).toBe(`export const functions = {
  'api.list': { args: { ids: 'uuid[]' }, returns: 'timestamp with time zone' },
  'api.nothing': { args: {}, returns: 'void' },
  'api.table': { args: { doc: 'jsonb' }, returns: 'rows', columns: { n: 'double precision', doc: 'json' } },
  'api.value': { args: { a: 'integer' }, options: { b: 'bigint' }, returns: 'numeric' },
  'work.single': { args: {}, returns: 'boolean' },
  'work.things_of': { args: {}, returns: 'rows', columns: { id: 'integer', name: 'text' } },
} as const

export const types = {
} as const
`)
})

test('the comment of a function says which columns may be null, and of which types its JSON is made', async () => {
  const text = await generated(`
    create type supply.state as enum ('open', 'closed');
    create type supply.part as (amount int, state supply.state);
    create type supply.entry as (ordinal int, parts supply.part[]);
    create type supply.unused as (n int);
    create type supply.found as (id bigint, name text);
    comment on type supply.found is 'nullable: name';
    create function api.g() returns supply.found[] language sql as $$ select null::supply.found[] $$;
    create function api.f(entries jsonb) returns table (a int, b supply.state) language sql as $$ select 1, 'open'::supply.state $$;
    comment on function api.f is 'What it gives.
takes: entries supply.entry[]
nullable: b'`)
  expect(text).toContain("takes: { entries: 'supply.entry[]' }")
  expect(text).toContain("columns: { a: 'integer', b: 'supply.state | null' }")
  expect(text).toContain("'api.g': { args: {}, returns: 'supply.found[]' }")
  expect(text.slice(text.indexOf('export const types'))).toBe(`export const types = {
  'supply.entry': { ordinal: 'integer', parts: 'supply.part[]' },
  'supply.found': { id: 'bigint', name: 'text | null' },
  'supply.part': { amount: 'integer', state: 'supply.state' },
  'supply.state': ['open', 'closed'],
} as const
`)
})

test('lines of at most 120 columns are written', async () => {
  const many = Array.from({ length: 40 }, (_, n) => `argument_${n} timestamptz`).join(', ')
  const text = await generated(`create function api.f(${many}) returns int language sql return 1`)
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120)
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
    'api.f uses the type record, which the client cannot pass',
  ],
  [
    'a nullable column that there is not',
    `create function api.f() returns table (a int) language sql as 'select 1'; comment on function api.f is 'nullable: b'`,
    'the comment of api.f calls b nullable, which is no column of it',
  ],
  [
    'JSON of an argument that there is not',
    `create function api.f() returns int language sql return 1; comment on function api.f is 'takes: a integer'`,
    'the comment of api.f says what a takes, which is no argument of it',
  ],
])('%s is refused', async (_what, sql, message) => {
  await expect(generated(sql)).rejects.toThrow(message)
})
