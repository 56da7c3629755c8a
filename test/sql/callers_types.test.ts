import postgres from 'postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../support/database.ts'
import { operatorOf, refusals } from '../support/operator.ts'
import { oneValue } from '../support/sql/one_value.ts'

// Whoever may make a type may make its casts, and a function of ours that casts an argument runs them as supply_owner.
const database = testDatabase()
const operator = operatorOf(database)

/** A value for each other argument, so that the function comes as far as the reference. */
const values: { [type: string]: string } = {
  // Also a month, for ops.statement.
  text: `'2026-01'`,
  'text[]': `'{}'`,
  'cidr[]': `'{}'`,
  numeric: '1',
  integer: '1',
  bigint: '1',
  boolean: 'true',
  jsonb: `'[]'::jsonb`,
  interval: `'1 hour'`,
  'timestamp with time zone': 'now()',
}

beforeAll(async () => {
  // ops.set_account_list looks for the account first.
  values.bigint = await oneValue<string>(database.sql`select ops.create_account('A partner')::text`)
  await database.sql.unsafe(`
    create schema lab;
    grant usage, create on schema lab to public`)
  await operator().unsafe(`
    create type lab.evil as (number int);
    create type lab.evil_word as enum ('1');
    ${['lab.evil', 'lab.evil_word'].flatMap((type) => ['text', 'json', 'jsonb', 'int', 'bigint', 'uuid'].map((target) => castOf(type, target))).join(';\n')}`)
})

afterAll(() => database.sql`drop schema lab cascade`)

function castOf(type: string, target: string): string {
  const name = `lab.take_${type.slice(4)}_${target}`
  return `
    create function ${name}(given ${type}) returns ${target} language plpgsql as $$
    begin
      raise exception '% runs as %', session_user, current_user using errcode = 'P0666';
    end $$;
    create cast (${type} as ${target}) with function ${name} as implicit`
}

test.each(['lab.evil', 'lab.evil_word', 'lab.evil[]'])(
  "no function that takes a reference runs a cast of the caller's type %s",
  async (type) => {
    const functions = await database.sql<{ name: string; types: string[] }[]>`
      select p.proname as name, array(select format_type(t, null) from unnest(p.proargtypes::oid[]) as t) as types
      from pg_proc p
      where p.pronamespace = 'ops'::regnamespace and 'anycompatible'::regtype = any (p.proargtypes::oid[])
      order by 1`
    expect(functions.length).toBeGreaterThan(25)
    const value = type === 'lab.evil' ? `row(1)::lab.evil` : type === 'lab.evil[]' ? `'{}'::lab.evil[]` : `'1'::${type}`
    for (const { name, types } of functions) {
      const call = `select ops.${name}(${types.map((of) => (of === 'anycompatible' ? value : values[of])).join(', ')})`
      const error = await operator()
        .unsafe(call)
        .catch((reason: unknown) => reason)
      // PostgreSQL finds several functions of this name, and runs no cast.
      if (name === 'redeliver' && error instanceof postgres.PostgresError && error.code === '42725') continue
      // ops.reroute_item looks for the supplier first.
      expect(error, call).toMatchObject(name === 'reroute_item' ? refusals.unknown : refusals.wrongArgument)
      expect(error, call).toBeInstanceOf(postgres.PostgresError)
      if (name !== 'reroute_item') expect(String(error), call).toContain(`no reference is of the type ${type}`)
    }
  },
)
