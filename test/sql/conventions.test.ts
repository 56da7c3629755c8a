import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { migrate } from '../../src/migrate/migrate.ts'
import { testDatabase } from '../support/database.ts'

const database = testDatabase()
// A copy of a database has lost what was granted and revoked on it; the next migration makes that good.
beforeAll(() => migrate({ databaseUrl: database.url }))
const root = join(import.meta.dirname, '../..')
const codeSchemas = ['api', 'bi', 'core', 'ops', 'work']

/** Which role may use which schema. */
const walls = [
  ['supply_api', 'api'],
  ['supply_worker', 'work'],
  ['supply_operator', 'ops'],
  ['supply_analyst', 'bi'],
] as const

/** Fails with the offenders' names. */
async function nothingIn(query: PromiseLike<{ name: string }[]>): Promise<void> {
  expect((await query).map(({ name }) => name)).toEqual([])
}

/** The paths, from the root, of the files in a folder that end so. */
function filesIn(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
}

const read = (path: string) => readFileSync(join(root, path), 'utf8')

type SqlFile = { schema: string; name: string; text: string }

const sqlFiles: SqlFile[] = filesIn('db/functions', '.sql').map((path) => {
  const [, , schema = ''] = path.split('/')
  return { schema, name: basename(path, '.sql'), text: read(path) }
})

/** The views of operators whose files name who may insert into them. */
const viewsForInserts = sqlFiles
  .filter(({ text }) => /^-- Roles: .*\ncreate or replace view /.test(text))
  .map(({ name }) => name)

/** Whether a function is for the owner of the database alone, by the first line of its file. */
const isOfOwner = ({ schema, bare }: { [column: string]: unknown }) =>
  sqlFiles.some((file) => file.schema === schema && file.name === bare && file.text.startsWith('-- Roles: owner\n'))

/** Whether views of operators call a function, with the rights of their readers, by the first line of its file. */
const isOfViews = ({ schema, bare }: { [column: string]: unknown }) =>
  sqlFiles.some(
    (file) => file.schema === schema && file.name === bare && file.text.startsWith('-- Views of ops call it.\n'),
  )

describe('every function', () => {
  test('of operators has allow as its last argument', () =>
    nothingIn(database.sql`
      select p.oid::regprocedure::text as name from pg_proc p
      where p.pronamespace = 'ops'::regnamespace and array_position(p.proargnames, 'allow') <> p.pronargs`))

  test('has a comment that is a sentence', () =>
    nothingIn(database.sql`
      select p.oid::regprocedure::text as name from pg_proc p
      where p.pronamespace::regnamespace::text = any(${codeSchemas})
        and coalesce(obj_description(p.oid, 'pg_proc'), '') !~ '^[A-Z].*[.](\ntakes: [][a-z_., ]+)?(\nnullable: [a-z_, ]+)?$'`))

  // The names in a body of standard SQL are looked up once, when it is made; without a setting it can be inlined.
  test('looks for names in pg_catalog first, and in pg_temp last', () =>
    nothingIn(database.sql`
      select p.oid::regprocedure::text as name from pg_proc p
      where p.pronamespace::regnamespace::text = any(${[...codeSchemas, 'supply']})
        and p.prosqlbody is null and not coalesce('search_path=pg_catalog, pg_temp' = any(p.proconfig), false)`))

  // ops.add_operator needs a right that the owner does not have, and must not give to whoever may call it. Others call the
  // triggers of views by their inserts.
  test('belongs to supply_owner, and has its rights if and only if others may call it', () =>
    nothingIn(database.sql`
      select p.oid::regprocedure::text as name from pg_proc p
      where p.pronamespace::regnamespace::text = any(${codeSchemas})
        and (p.proowner::regrole::text, p.prosecdef)
          <> ('supply_owner', p.prorettype = 'trigger'::regtype
            or p.pronamespace::regnamespace::text <> 'core' and p.proname <> 'add_operator')`))

  // What both are called with has two documented names: event_id and event, account_id and account.
  test('has a name of its own, but for those that take two kinds of reference', () =>
    nothingIn(database.sql`
      select p.pronamespace::regnamespace || '.' || p.proname as name from pg_proc p
      where p.pronamespace::regnamespace::text = any(${codeSchemas}) and p.proname not in ('redeliver', 'set_account_list', 'statement')
      group by 1
      having count(*) > 1`))

  test('of the schema work requires all its arguments', () =>
    nothingIn(database.sql`
      select p.oid::regprocedure::text as name from pg_proc p
      where p.pronamespace = 'work'::regnamespace and p.pronargdefaults > 0`))

  test('is closed to the public', () =>
    nothingIn(database.sql`
      select p.oid::regprocedure::text as name from pg_proc p
      where p.pronamespace::regnamespace::text = any(${[...codeSchemas, 'supply']})
        and has_function_privilege('public', p.oid, 'execute')`))

  test('is called by a test, the service, or another function', () => {
    const program = [...filesIn('src', '.ts'), ...filesIn('tasks', '.ts'), ...filesIn('test', '.ts')]
      .filter((path) => path !== 'src/database/functions.ts')
      .map(read)
      .join('\n')
    const idle = sqlFiles.filter(({ schema, name }) => {
      const call = new RegExp(`\\b${schema}\\.${name}\\b`)
      // A test of analysts reads every view of theirs.
      if (schema === 'bi') return false
      if (schema !== 'core') return !call.test(program)
      return !sqlFiles.some((other) => other.name !== name && call.test(other.text))
    })
    expect(idle.map(({ schema, name }) => `${schema}.${name}`)).toEqual([])
  })
})

describe('every file of functions', () => {
  test('defines the one object that it is named after, and nothing besides', async () => {
    const objects = await database.sql`
      select distinct p.pronamespace::regnamespace || '.' || p.proname as name from pg_proc p
      where p.pronamespace::regnamespace::text = any(${codeSchemas})
      union all
      select c.relnamespace::regnamespace || '.' || c.relname from pg_class c
      where c.relnamespace::regnamespace::text = any(${codeSchemas})`
    expect(objects.map(({ name }) => name).sort()).toEqual(
      sqlFiles.map(({ schema, name }) => `${schema}.${name}`).sort(),
    )
    for (const { schema, name, text } of sqlFiles) {
      const created = [...text.matchAll(/^create or replace (?:function|view) (\w+\.\w+)/gm)].map(
        ([, object]) => object,
      )
      expect(created[0]).toBe(`${schema}.${name}`)
      expect(new Set(created).size).toBe(1)
      if (schema !== 'ops') expect(created).toHaveLength(1)
      const triggers = text.match(new RegExp(`^create or replace trigger .* on ${schema}\\.${name}$`, 'gm')) ?? []
      expect(text.match(/^create /gm), `${schema}.${name}`).toHaveLength(created.length + triggers.length)
    }
  })

  test('leaves rights to the loader, which gives them by schema', () => {
    for (const { schema, name, text } of sqlFiles)
      expect(text, `${schema}.${name}`).not.toMatch(/^\s*(grant|revoke)\b/im)
  })

  test('swallows no error', () => {
    for (const { schema, name, text } of sqlFiles) expect(text, `${schema}.${name}`).not.toMatch(/\bwhen others\b/i)
  })
})

describe('every file of SQL', () => {
  const files = filesIn('db', '.sql')

  test('touches the queue of graphile-worker only in core/queue', () => {
    const touching = filesIn('db/functions', '.sql').filter((path) => /graphile_worker\./.test(read(path)))
    expect(touching.filter((path) => !path.startsWith('db/functions/core/queue/'))).toEqual([])
  })

  test('has lines of at most 120 characters', () => {
    const long = files.filter((path) =>
      read(path)
        .split('\n')
        .some((line) => line.length > 120),
    )
    expect(long).toEqual([])
  })

  test('names output columns so that they clash with no other', () => {
    expect(files.filter((path) => read(path).includes('#variable_conflict'))).toEqual([])
  })
})

test('no function besides those that others call takes or returns an array of jsonb', () =>
  nothingIn(database.sql`
    select p.oid::regprocedure::text as name from pg_proc p
    where p.pronamespace = 'core'::regnamespace
      and 'jsonb[]'::regtype = any(array[p.prorettype] || p.proargtypes::oid[] || coalesce(p.proallargtypes, '{}'))`))

describe('comments', () => {
  test('on functions and views have at most three lines of text', async () => {
    const comments = await database.sql`
      select p.oid::regprocedure::text as name, obj_description(p.oid, 'pg_proc') as text from pg_proc p
      where p.pronamespace::regnamespace::text = any(${codeSchemas})
      union all
      select c.oid::regclass::text, obj_description(c.oid, 'pg_class') from pg_class c
      where c.relnamespace::regnamespace::text = any(${codeSchemas}) and c.relkind = 'v'`
    const long = comments.filter(
      ({ text }) =>
        text
          .replace(/^(takes|nullable): .*$/gm, '')
          .trim()
          .split('\n').length > 3,
    )
    expect(long.map(({ name }) => name)).toEqual([])
  })

  test('stand on every schema, table and view', () =>
    nothingIn(database.sql`
      select n.nspname as name from pg_namespace n
      where n.nspname = any(${[...codeSchemas, 'supply', 'migrations']}) and obj_description(n.oid, 'pg_namespace') is null
      union all
      select c.oid::regclass::text from pg_class c
      where c.relnamespace::regnamespace::text = any(${[...codeSchemas, 'supply']}) and c.relkind in ('r', 'v')
        and coalesce(obj_description(c.oid, 'pg_class'), '') !~ '[.]$'`))

  test('stand on every column of tables, and of views that people read', () =>
    nothingIn(database.sql`
      select c.oid::regclass || '.' || a.attname as name
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace::regnamespace::text in ('bi', 'ops', 'supply') and c.relkind in ('r', 'v')
        and coalesce(col_description(c.oid, a.attnum), '') !~ '[.]$'`))
})

describe.each(walls)('the role %s', (role, schema) => {
  test('cannot log in, and is no superuser', async () => {
    const [row] = await database.sql`
      select rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles where rolname = ${role}`
    expect(Object.values(row ?? {})).toEqual([false, false, false, false, false])
  })

  test(`may execute exactly the functions of ${schema}`, async () => {
    const functions = await database.sql`
      select p.oid::regprocedure::text as name, p.proname::text as bare, p.pronamespace::regnamespace::text as schema,
        has_function_privilege(${role}, p.oid, 'execute') as allowed
      from pg_proc p where p.pronamespace::regnamespace::text = any(${[...codeSchemas, 'supply']})`
    // Analysts only read views.
    expect(functions.filter(({ allowed }) => allowed).length > 5).toBe(schema !== 'bi')
    await nothingIn(
      Promise.resolve(
        functions
          .filter(
            (row) =>
              row.allowed !== ((row.schema === schema && !isOfOwner(row)) || (schema === 'ops' && isOfViews(row))),
          )
          .map(({ name }) => ({ name: String(name) })),
      ),
    )
  })

  test('has no right on any table, and may only read the views that are for it', () =>
    nothingIn(database.sql`
      select c.oid::regclass || ': ' || privilege as name
      from pg_class c, unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) as privilege
      where c.relnamespace::regnamespace::text = any(${[...codeSchemas, 'supply', 'migrations']}) and c.relkind in ('r', 'v', 'p', 'm')
        and has_table_privilege(${role}, c.oid, privilege)
          <> (c.relnamespace::regnamespace::text = ${schema} and c.relkind = 'v'
            and (privilege = 'select' or privilege = 'insert' and c.relname::text = any(${viewsForInserts})))
      union all
      select c.oid::regclass || ': a column' from pg_class c
      where c.relnamespace = 'supply'::regnamespace and c.relkind = 'r'
        and has_any_column_privilege(${role}, c.oid, 'select, insert, update, references')
      union all
      select c.oid::regclass::text from pg_class c
      where c.relnamespace::regnamespace::text = any(${[...codeSchemas, 'supply']})
        and case c.relkind when 'S' then has_sequence_privilege(${role}, c.oid, 'usage, select, update') end`))

  test(`may enter ${schema} alone, and the queue only as a worker`, async () => {
    const schemas = await database.sql`
      select n.nspname::text as name from pg_namespace n
      where n.nspname <> all(array['pg_catalog', 'information_schema', 'public'])
        and n.nspname !~ '^pg_(toast|temp)' and has_schema_privilege(${role}, n.oid, 'usage')
      order by 1`
    const entered = role === 'supply_worker' ? ['graphile_worker', schema] : [schema]
    expect(schemas.map(({ name }) => name)).toEqual(entered)
    await nothingIn(database.sql`
      select n.nspname::text as name from pg_namespace n
      where n.nspname !~ '^pg_temp' and has_schema_privilege(${role}, n.oid, 'create')`)
  })
})

test('nobody but the owner of the database may make temporary objects', () =>
  nothingIn(database.sql`
    select r.rolname as name from pg_roles r join pg_database d on d.datname = current_database()
    where r.rolname in ('supply_owner', 'supply_api', 'supply_worker', 'supply_operator')
      and has_database_privilege(r.oid, d.oid, 'temporary')
    union all
    select 'public' from pg_database d
    where d.datname = current_database() and has_database_privilege('public', d.oid, 'temporary')`))

describe('the tables', () => {
  test('belong to supply_owner, who cannot log in', async () => {
    await nothingIn(database.sql`
      select c.oid::regclass::text as name from pg_class c
      where c.relnamespace::regnamespace::text = any(${[...codeSchemas, 'supply']})
        and c.relowner::regrole::text <> 'supply_owner'`)
    const [owner] = await database.sql`
      select rolcanlogin or rolsuper as mighty from pg_roles where rolname = 'supply_owner'`
    expect(owner?.mighty).toBe(false)
  })

  // A newer library of the operating system may change the order of any other collation, and no index finds its rows then.
  test('have no index on a text that is ordered by another collation than C', () =>
    nothingIn(database.sql`
      select i.indexrelid::regclass || ': ' || pg_get_indexdef(i.indexrelid, k.place::int, true) as name
      from pg_index i
      join pg_class c on c.oid = i.indrelid and c.relnamespace::regnamespace::text in ('supply', 'migrations')
      cross join lateral unnest(i.indcollation) with ordinality as k (collation_id, place)
      where k.collation_id not in (0, 'pg_catalog."C"'::regcollation)`))

  test('do without the code schemas: no default, check, index or trigger uses their functions', () =>
    nothingIn(database.sql`
      select pg_describe_object(d.classid, d.objid, d.objsubid) as name
      from pg_depend d join pg_proc p on d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid
      where p.pronamespace::regnamespace::text = any(${codeSchemas})
        and d.classid not in ('pg_proc'::regclass, 'pg_rewrite'::regclass)
        and not exists (
          select from pg_trigger t join pg_class c on c.oid = t.tgrelid
          where d.classid = 'pg_trigger'::regclass and t.oid = d.objid and c.relkind = 'v')`))
})
