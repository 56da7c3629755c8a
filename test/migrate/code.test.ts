import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connectTo } from '../../src/database/client.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { clientOptions } from '../database/client_tests.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type SqlFolders, sqlFolders } from './sql_folders.ts'

// With the queue and the first migration, and no code.
let base: TestDatabase
let database: TestDatabase
let folders: SqlFolders

beforeAll(async () => {
  base = await createTestDatabase({ empty: true })
  folders = sqlFolders()
  await migrate({ databaseUrl: base.url, ...folders })
  folders.dispose()
})
afterAll(() => base.drop())

beforeEach(async () => {
  database = await createTestDatabase({ from: base.name })
  folders = sqlFolders()
})

afterEach(async () => {
  folders.dispose()
  await database.drop()
})

const load = () => migrate({ databaseUrl: database.url, ...folders })

const f = (name: string, rest: string) => folders.write(`functions/${name.replace('.', '/')}.sql`, rest)

const sqlFunction = (name: string, args: string, returns: string, body: string) =>
  f(
    name,
    `create or replace function ${name}(${args}) returns ${returns} language sql as $$ ${body} $$;
    comment on function ${name} is 'Named without its arguments, as in our files.'`,
  )

const names = async () => {
  const rows = await database.sql<{ name: string }[]>`
    select oid::regprocedure::text as name from pg_proc
    where pronamespace in ('core'::regnamespace, 'work'::regnamespace, 'api'::regnamespace, 'ops'::regnamespace)
    union all
    select oid::regclass::text from pg_class where relnamespace = 'ops'::regnamespace and relkind = 'v'
    order by 1`
  return rows.map(({ name }) => name)
}

describe('loading', () => {
  test('finds an order in which each object comes after those that it needs', async () => {
    f('core.a', 'create or replace function core.a() returns int language sql return core.b() + 1')
    f('core.b', 'create or replace function core.b() returns int language sql return 1')
    f('ops.first', 'create or replace view ops.first as select two from ops.second')
    f('ops.second', 'create or replace view ops.second as select core.a() as two, api.rows_of() as rows')
    f(
      'api.rows_of',
      `create or replace function api.rows_of() returns bigint language sql as 'select count(*) from ops.third'`,
    )
    f('ops.third', 'create or replace view ops.third as select * from supply.thing')
    await load()
    expect(await database.sql`select two from ops.first`).toEqual([{ two: 2 }])
  })

  test('gives the objects to supply_owner', async () => {
    sqlFunction('api.one', '', 'int', 'select 1')
    f('ops.things', 'create or replace view ops.things as select * from supply.thing')
    await load()
    const owners = await database.sql`
      select proowner::regrole::text as owner from pg_proc where proname = 'one'
      union all select relowner::regrole::text from pg_class where relname = 'things'`
    expect(owners).toEqual([{ owner: 'supply_owner' }, { owner: 'supply_owner' }])
  })

  test('replaces a changed body in place', async () => {
    sqlFunction('api.one', '', 'int', 'select 1')
    await load()
    const [before] = await database.sql`select 'api.one'::regproc::oid as oid`
    sqlFunction('api.one', '', 'int', 'select 2')
    await load()
    expect(await database.sql`select 'api.one'::regproc::oid as oid, api.one()`).toEqual([{ ...before, one: 2 }])
  })

  test.each([
    ['result type', '', 'text', `select 'two'`],
    ['arguments', 'a int default 0, b text default null', 'int', 'select 2'],
    ['argument types', 'a text default null', 'int', 'select 2'],
    ['columns', '', 'table (one int, two int)', 'select 1, 2'],
  ])('makes a function with other %s again', async (_what, args, returns, body) => {
    sqlFunction('api.one', 'a int default 0', 'int', 'select 1')
    f('core.user_of_one', 'create or replace function core.user_of_one() returns int language sql return api.one(1)')
    await load()
    sqlFunction('api.one', args, returns, body)
    f('core.user_of_one', `create or replace function core.user_of_one() returns int language sql return 5`)
    await load()
    expect((await names()).filter((name) => name.startsWith('api.one'))).toHaveLength(1)
    expect(await database.sql`select * from api.one()`).toHaveLength(1)
  })

  test('makes unchanged views again that depend on a changed function', async () => {
    sqlFunction('core.label', 'id int', 'text', `select 'old'`)
    f('ops.things', 'create or replace view ops.things as select id, core.label(id) from supply.thing')
    f('ops.more', 'create or replace view ops.more as select * from ops.things')
    await load()
    await database.sql`insert into supply.thing values (1, 'x')`
    sqlFunction('core.label', 'id int, style text default null', 'text', `select 'new'`)
    await load()
    expect(await database.sql`select * from ops.more`).toEqual([{ id: 1, label: 'new' }])
    expect(await database.sql`select has_table_privilege('supply_operator', 'ops.more', 'select') as may`).toEqual([
      { may: true },
    ])
  })

  test('makes a view with other columns again, and its dependents', async () => {
    f('ops.things', 'create or replace view ops.things as select id, name from supply.thing')
    f(
      'ops.some',
      `-- Roles: operator
create or replace function ops.some() returns setof ops.things language sql as 'select * from ops.things'`,
    )
    await load()
    f('ops.things', 'create or replace view ops.things as select name, id from supply.thing')
    await load()
    await database.sql`insert into supply.thing values (1, 'x')`
    const [row] = await database.sql`select * from ops.some()`
    expect(Object.keys(row ?? {})).toEqual(['name', 'id'])
  })

  test('drops an object whose file was removed', async () => {
    sqlFunction('api.one', '', 'int', 'select 1')
    sqlFunction('api.two', '', 'int', 'select 2')
    f('ops.upper', 'create or replace view ops.upper as select * from ops.lower')
    f('ops.lower', 'create or replace view ops.lower as select core.three() as n')
    f('core.three', 'create or replace function core.three() returns int language sql return 3')
    await load()
    for (const path of ['api/two', 'ops/upper', 'ops/lower', 'core/three']) folders.remove(`functions/${path}.sql`)
    await load()
    expect(await names()).toEqual(['api.one()'])
  })

  test('drops an object whose file was removed once its dependents do not need it', async () => {
    f('ops.user', 'create or replace view ops.user as select core.three() as n')
    f('core.three', 'create or replace function core.three() returns int language sql return 3')
    await load()
    f('ops.user', 'create or replace view ops.user as select 4 as n')
    folders.remove('functions/core/three.sql')
    await load()
    expect(await names()).toEqual(['ops."user"'])
  })

  test('gives the rights on a schema to the role that it is for, and takes back all others', async () => {
    const mayCall = async () => {
      const rows = await database.sql<{ role: string }[]>`
        select role from unnest(array['public', 'supply_api', 'supply_worker', 'supply_operator']) as role
        where has_function_privilege(role, 'api.one()', 'execute')`
      return rows.map(({ role }) => role)
    }
    sqlFunction('api.one', '', 'int', 'select 1')
    await load()
    expect(await mayCall()).toEqual(['supply_api'])
    await database.sql`grant execute on function api.one() to public, supply_worker`
    sqlFunction('api.one', '', 'int', 'select 2')
    await load()
    expect(await mayCall()).toEqual(['supply_api'])
  })

  test('gives a function of operators to the roles that its first line names, and views to all but the analyst', async () => {
    const mayUse = async (name: string) => {
      const rows = await database.sql<{ role: string }[]>`
        select role from unnest(array['operator', 'support', 'trade', 'finance', 'analyst']) as role
        where case when ${name} = 'things' then has_table_privilege('supply_' || role, 'ops.things', 'select')
          else has_function_privilege('supply_' || role, ${`ops.${name === 'things' ? 'one' : name}()`}, 'execute') end`
      return rows.map(({ role }) => role)
    }
    f('ops.things', 'create or replace view ops.things as select * from supply.thing')
    const define = (name: string, roles: string) =>
      f(`ops.${name}`, `-- Roles: ${roles}\ncreate or replace function ops.${name}() returns int language sql return 1`)
    define('one', 'support, finance')
    define('two', 'operator')
    define('three', 'owner')
    await load()
    expect(await mayUse('things')).toEqual(['operator', 'support', 'trade', 'finance'])
    expect(await mayUse('one')).toEqual(['operator', 'support', 'finance'])
    expect(await mayUse('two')).toEqual(['operator'])
    expect(await mayUse('three')).toEqual([])
    f('ops.list', '-- Roles: trade\ncreate or replace view ops.list as select null::text as a where false')
    define('one', 'trade')
    await load()
    const [list] = await database.sql`
      select string_agg(role, ' ' order by role) as roles
      from unnest(array['operator', 'support', 'trade', 'finance', 'analyst']) as role
      where has_table_privilege('supply_' || role, 'ops.list', 'insert')`
    expect(list?.roles).toBe('operator trade')
    expect(await mayUse('one')).toEqual(['operator', 'trade'])
  })

  test.each(['', '-- Roles: \n', '-- Roles: supplies\n', '-- support\n'])(
    'refuses a function of operators whose first line is %j',
    async (line) => {
      f('ops.one', `${line}create or replace function ops.one() returns int language sql return 1`)
      await expect(load()).rejects.toThrow('its first line must be "-- Roles: " and some of support, trade')
    },
  )

  test("has a view's column say what the column says that it reads, unless its file says otherwise", async () => {
    await load()
    await database.sql`comment on column supply.thing.id is 'The number.'`
    await database.sql`comment on column supply.thing.name is 'The name.'`
    const view = 'create or replace view ops.things as select id, name, 1 as one from supply.thing;'
    const comments = async () => {
      const [row] = await database.sql`
        select array_agg(coalesce(col_description(attrelid, attnum), '') order by attnum) as comments
        from pg_attribute where attrelid = 'ops.things'::regclass and attnum > 0`
      return row?.comments
    }
    f('ops.things', `${view} comment on column ops.things.name is 'Another name.'`)
    await load()
    expect(await comments()).toEqual(['The number.', 'Another name.', ''])
  })

  test('goes unnoticed by calls that run all the time', async () => {
    const define = (n: number) => {
      f(
        'api.n',
        `create or replace function api.n() returns int language plpgsql as $$ begin return core.n(${n}); end $$`,
      )
      sqlFunction('core.n', 'n int', 'int', `select n -- ${n}`)
    }
    await reloadUnderLoad(define)
  })

  test('goes unnoticed even by calls of a function that is dropped and made again', async () => {
    await reloadUnderLoad((n) => sqlFunction('api.n', '', `table (n int, c${n} int)`, `select ${n}, ${n}`))
  })

  async function reloadUnderLoad(define: (n: number) => void): Promise<void> {
    define(0)
    await load()
    const db = connectTo<{ 'api.n': { args: Record<string, never>; result: { n: number }[] } }>(
      { ...clientOptions, url: database.url, role: 'supply_owner', max: 4 },
      { 'api.n': { args: {}, returns: 'rows' } },
    )
    let running = true
    const seen: number[] = []
    const callers = Array.from({ length: 4 }, async () => {
      while (running) for (const { n } of await db.call('api.n')) seen.push(n)
    })
    const reloads = 5
    for (let n = 1; n <= reloads; n += 1) {
      define(n)
      await load()
      await Promise.race([Promise.all(callers), expect.poll(() => seen.at(-1), { interval: 1 }).toBe(n)])
    }
    running = false
    await Promise.all(callers)
    await db.end()
  }

  test('keeps a view of others that depends on ours, or refuses before any migration', async () => {
    f('ops.shown', 'create or replace view ops.shown as select 1 as a, 2 as b')
    await load()
    await database.sql`create view public.outsider as select b from ops.shown`
    f('ops.shown', 'create or replace view ops.shown as select 1 as a, 2 as b, 3 as c')
    await expect(load()).resolves.toBeDefined()
    f('ops.shown', 'create or replace view ops.shown as select 1 as a')
    folders.write('migrations/9998_late.sql', 'create table supply.late ()')
    await expect(load()).rejects.toThrow(
      'nothing was changed: this release cannot keep view public.outsider, which depends on ops.shown',
    )
    expect(await database.sql`select to_regclass('supply.late') as late`).toEqual([{ late: null }])
    folders.remove('migrations/9998_late.sql')
    await database.sql`drop view public.outsider`
    await expect(load()).resolves.toBeDefined()
    folders.remove('functions/ops/shown.sql')
  })
})

describe('loading refuses, and leaves everything as it was', () => {
  beforeEach(async () => {
    sqlFunction('api.one', '', 'int', 'select 1')
    await load()
    sqlFunction('api.one', '', 'int', 'select 2')
  })

  afterEach(async () => {
    expect(await database.sql`select api.one()`).toEqual([{ one: 1 }])
  })

  test('two files of one name in a schema', async () => {
    folders.write(
      'functions/api/deep/one.sql',
      'create or replace function api.one() returns int language sql return 3',
    )
    await expect(load()).rejects.toThrow(/two files below .*api are called one\.sql/)
    folders.remove('functions/api/deep/one.sql')
  })

  test('a file with an error, naming its line', async () => {
    f('api.bad', 'create or replace function api.bad()\nreturns int\nlanguag sql return 1')
    await expect(load()).rejects.toThrow(/functions\/api\/bad\.sql:3: syntax error at or near "languag"/)
  })

  test('a PL/pgSQL body that does not compile', async () => {
    f('api.bad', `create or replace function api.bad() returns int language plpgsql as $$ begin retrun 1; end $$`)
    await expect(load()).rejects.toThrow(/functions\/api\/bad\.sql: syntax error at or near "retrun"/)
  })

  test('a PL/pgSQL body with a shadowed variable', async () => {
    f(
      'api.bad',
      `create or replace function api.bad(a int) returns int language plpgsql as $$ declare a int; begin return a; end $$`,
    )
    await expect(load()).rejects.toThrow(/functions\/api\/bad\.sql: variable "a" shadows a previously defined variable/)
  })

  test('an SQL body that names a missing object', async () => {
    sqlFunction('api.bad', '', 'bigint', 'select count(*) from supply.nothing')
    await expect(load()).rejects.toThrow(/functions\/api\/bad\.sql: relation "supply\.nothing" does not exist/)
  })

  test('a view on a missing object', async () => {
    f('ops.bad', 'create or replace view ops.bad as\nselect * from supply.nothing')
    await expect(load()).rejects.toThrow(/functions\/ops\/bad\.sql:2: relation "supply\.nothing" does not exist/)
  })

  test('a file that defines an object of another name', async () => {
    f('api.bad', 'create or replace function api.other() returns int language sql return 1')
    await expect(load()).rejects.toThrow(/functions\/api\/bad\.sql does not define api\.bad/)
  })

  test('a file that defines a second object', async () => {
    f(
      'api.bad',
      `create or replace function api.bad() returns int language sql return 1;
      create or replace function api.more() returns int language sql return 1`,
    )
    await expect(load()).rejects.toThrow('api.more has no file of its own')
  })

  test('overloads', async () => {
    f(
      'api.bad',
      `create or replace function api.bad() returns int language sql return 1;
      create or replace function api.bad(a int) returns int language sql return 1`,
    )
    await expect(load()).rejects.toThrow(/functions\/api\/bad\.sql defines api\.bad more than once/)
  })

  test('to drop an object on which an object outside the code depends', async () => {
    await database.sql`create view public.outsider as select api.one()`
    folders.remove('functions/api/one.sql')
    await expect(load()).rejects.toThrow('this release cannot keep view public.outsider, which depends on api.one')
  })

  test('to drop an object that another file still uses', async () => {
    f('ops.user', 'create or replace view ops.user as select api.one()')
    await expect(load()).resolves.toBeDefined()
    folders.remove('functions/api/one.sql')
    await expect(load()).rejects.toThrow(/functions\/ops\/user\.sql:1: function api\.one\(\) does not exist/)
    sqlFunction('api.one', '', 'int', 'select 1')
    await load()
  })
})
