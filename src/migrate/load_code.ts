import pg from 'pg'
import { release } from '../release.ts'
import { type CodeFile, codeChecksum, codeSchemas } from './sql_files.ts'

/** A function or view of a code schema. `version` changes whenever the object is replaced. */
type CodeObject = { schema: string; name: string; classid: number; objid: number; version: string }

// The object needs another one that a later file may define.
const missingCodes = new Set(['42P01', '42883', '42704', '42703'])

// `create or replace` cannot change a result type, a parameter's name or a view's columns. With other argument types it
// makes a second function, and the name alone, in the file's comment, does not say which is meant (42725).
const conflictCodes = new Set(['42P13', '42P16', '42809', '42725'])

/**
 * Makes the code schemas match the files, in one transaction. It loads the files that changed since the last time, and
 * those whose object is missing. It replaces an object in place, so that calls under way succeed. If a signature, a
 * result type or columns changed, it drops the object with its dependents and makes all of them again. It drops objects
 * without a file. It grants rights by schema, to the role of the schema alone; of `ops` also to the roles that the first
 * line of a file names: they may call its function, or insert into its view. A function of `core` whose first line says
 * that views of `ops` call it is granted to their readers. A view of all columns of a table gets a new column only when
 * its file changes.
 *
 * It writes down that the database is of this release. Returns whether it loaded a file or dropped an object. With
 * `check` it compiles all bodies in any case, because a migration may have changed the tables that they read.
 *
 * Throws, with everything rolled back, if a file does not load, if it does not define exactly the object of its name,
 * if a body does not compile, or if an object outside the code schemas depends on a dropped one.
 */
export async function loadCode(
  client: pg.Client,
  files: CodeFile[],
  { check = false }: { check?: boolean } = {},
): Promise<boolean> {
  await client.query(`
    begin;
    set local role supply_owner;
    set local search_path = '';
    set local check_function_bodies = off;
    set local plpgsql.extra_errors = 'all'`)
  const checksum = codeChecksum(files)
  const { rows } = await client.query<{ release: string; checksum: string; files: Record<string, string> }>(
    'select release, checksum, files from supply.code_version',
  )
  const objects = await codeObjects(client)
  const vanished = objects.filter((object) => !files.some((file) => defines(file, object)))
  const changed = files.filter((file) => {
    const isLoaded = rows[0]?.files[qualified(file)] === file.checksum
    return !isLoaded || !objects.some((object) => defines(file, object))
  })
  const isChanged = rows[0]?.checksum !== checksum || changed.length > 0 || vanished.length > 0
  if (isChanged) {
    const changedViews = objects.filter((object) => changed.some((file) => isView(file) && defines(file, object)))
    await lockViews(client, await dependentsOf(client, [...vanished, ...changedViews]))
    const dropped = await dropWithDependents(client, vanished)
    const again = files.filter((file) => dropped.some((object) => defines(file, object)))
    await loadFiles(client, [...changed, ...again], { files, objects })
    refuseMisfits(files, await codeObjects(client))
  }
  if (isChanged || check) await compileBodies(client, files)
  if (isChanged) {
    await inheritColumnComments(client)
    await grantRights(client, files)
  }
  if (isChanged || rows[0]?.release !== release) {
    await client.query(
      `insert into supply.code_version (id, release, checksum, files, loaded_at) values (true, $1, $2, $3, now())
       on conflict (id) do update
       set release = excluded.release, checksum = excluded.checksum, files = excluded.files, loaded_at = excluded.loaded_at`,
      [release, checksum, Object.fromEntries(files.map((file) => [qualified(file), file.checksum]))],
    )
  }
  await client.query('commit')
  return isChanged
}

/**
 * Rejects, before anything is changed, if an object outside the code schemas depends on a view that this release drops,
 * or cannot replace in place. A view that reads what a migration has still to add is judged by `loadCode`.
 */
export async function refuseDependents(client: pg.Client, files: CodeFile[]): Promise<void> {
  const { rows } = await client.query<{ is_new: boolean }>(
    `select pg_catalog.to_regclass('supply.code_version') is null as is_new`,
  )
  if (rows[0]?.is_new) return
  await client.query("begin; set local role supply_owner; set local search_path = ''")
  try {
    for (const object of await codeObjects(client)) {
      const file = files.find((candidate) => defines(candidate, object))
      if (file !== undefined && !isView(file)) continue
      const outside = (await dependentsOf(client, [object])).find(({ schema }) => !isCodeSchema(schema))
      if (outside === undefined) continue
      const error = file === undefined ? undefined : await tryToLoad(client, file)
      if (file === undefined || conflictCodes.has(error?.code ?? ''))
        throw new Error(
          `nothing was changed: this release cannot keep ${outside.description}, which depends on ${qualified(object)}; ` +
            'drop it, upgrade, and create it again',
        )
    }
  } finally {
    await client.query('rollback')
  }
}

/** Loads the wanted files, and those of all objects that are dropped for them, in an order that works. */
async function loadFiles(
  client: pg.Client,
  wanted: CodeFile[],
  { files, objects }: { files: CodeFile[]; objects: CodeObject[] },
): Promise<void> {
  const waiting = new Set(wanted)
  const remade = new Set<CodeFile>()
  const loadAgain = (dependents: Dependent[]) => {
    for (const file of files) if (dependents.some((object) => defines(file, object))) waiting.add(file)
  }
  while (waiting.size > 0) {
    let progress = false
    let failure: Error | undefined
    for (const file of [...waiting]) {
      const before = objects.filter((object) => defines(file, object))
      const error = await tryToLoad(client, file)
      if (error === undefined) {
        if (before.length > 0) {
          const present = await codeObjects(client, file)
          const old = present.filter((object) => before.some(isSame(object)))
          loadAgain(await dropWithDependents(client, old))
          // A view of all columns of this view has the columns of the previous one.
          if (isView(file)) loadAgain(await dependentsOf(client, before))
        }
        waiting.delete(file)
      } else if (conflictCodes.has(error.code ?? '') && !remade.has(file)) {
        remade.add(file)
        loadAgain(await dropWithDependents(client, before))
      } else if (missingCodes.has(error.code ?? '')) {
        failure ??= codeError(file, error)
        continue
      } else {
        throw codeError(file, error)
      }
      progress = true
    }
    if (!progress) throw failure
  }
}

async function tryToLoad(client: pg.Client, file: CodeFile): Promise<pg.DatabaseError | undefined> {
  await client.query('savepoint code_file')
  try {
    await client.query(file.sql)
    await client.query('release savepoint code_file')
    return undefined
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    await client.query('rollback to savepoint code_file')
    return error
  }
}

/** All functions and views of the code schemas, or those of one name. */
async function codeObjects(client: pg.Client, only?: Pick<CodeObject, 'schema' | 'name'>): Promise<CodeObject[]> {
  const { rows } = await client.query<CodeObject>(
    `select n.nspname as schema, o.*
     from (
       select p.proname as name, 'pg_catalog.pg_proc'::regclass::oid as classid, p.oid as objid,
         p.xmin::text as version, p.pronamespace as namespace
       from pg_catalog.pg_proc p
       union all
       select c.relname, 'pg_catalog.pg_class'::regclass::oid, c.oid, r.xmin::text, c.relnamespace
       from pg_catalog.pg_class c
       join pg_catalog.pg_rewrite r on r.ev_class = c.oid
       where c.relkind = 'v'
     ) o
     join pg_catalog.pg_namespace n on n.oid = o.namespace
     where n.nspname = any($1) and o.name = coalesce($2, o.name)`,
    [only === undefined ? codeSchemas : [only.schema], only?.name],
  )
  return rows
}

type Dependent = { schema: string; name: string; type: string; identity: string; description: string }

/** Drops the objects and all functions and views of the code schemas that depend on them. Returns what it dropped. */
async function dropWithDependents(client: pg.Client, objects: CodeObject[]): Promise<Dependent[]> {
  const doomed = await dependentsOf(client, objects)
  const outside = doomed.find(({ schema }) => !isCodeSchema(schema))
  if (outside) {
    const names = objects.map(qualified).join(', ')
    throw new Error(`cannot drop ${names}: ${outside.description} depends on it`)
  }
  await client.query(doomed.map(({ type, identity }) => `drop ${type} if exists ${identity} cascade`).join(';'))
  return doomed
}

/**
 * Locks the views among the objects until the end, a view before those that it reads: a session that reads them takes
 * its locks in that order. The statement locks a view without its tables, and changes nothing.
 */
async function lockViews(client: pg.Client, objects: Dependent[]): Promise<void> {
  const views = objects.filter(({ type, schema }) => type === 'view' && isCodeSchema(schema)).toReversed()
  await client.query(views.map(({ identity }) => `alter view ${identity} owner to current_user`).join(';'))
}

/** The objects, and all that depends on them, nearest first. */
async function dependentsOf(client: pg.Client, objects: CodeObject[]): Promise<Dependent[]> {
  if (objects.length === 0) return []
  const oids = [objects.map(({ classid }) => classid), objects.map(({ objid }) => objid)]
  return (await client.query<Dependent>(dependents, oids)).rows
}

// A view depends on what it uses through its rewrite rule; types and rules go with their view.
const dependents = `
  with recursive doomed (classid, objid) as (
    select * from unnest($1::oid[], $2::oid[])
    union
    select next.classid, next.objid
    from doomed
    cross join lateral (
      select d.classid, d.objid
      from pg_catalog.pg_depend d
      where d.refclassid = doomed.classid and d.refobjid = doomed.objid and d.deptype <> 'e'
      union all
      select 'pg_catalog.pg_class'::regclass, r.ev_class
      from pg_catalog.pg_rewrite r
      where doomed.classid = 'pg_catalog.pg_rewrite'::regclass and r.oid = doomed.objid
    ) next
  )
  select address.object_names[1] as schema, address.object_names[2] as name, object.type, object.identity,
    pg_catalog.pg_describe_object(classid, objid, 0) as description
  from doomed
  cross join lateral pg_catalog.pg_identify_object(classid, objid, 0) object
  cross join lateral pg_catalog.pg_identify_object_as_address(classid, objid, 0) address
  where classid not in ('pg_catalog.pg_rewrite'::regclass, 'pg_catalog.pg_type'::regclass)`

function refuseMisfits(files: CodeFile[], objects: CodeObject[]): void {
  for (const file of files) {
    const count = objects.filter((object) => defines(file, object)).length
    if (count === 0) throw new Error(`${file.path} does not define ${qualified(file)}`)
    // Operators name things by id or by a reference: psql gives a literal the type that the function has.
    if (count > 1 && file.schema !== 'ops') {
      throw new Error(`${file.path} defines ${qualified(file)} more than once: no overloads`)
    }
  }
  const stray = objects.find((object) => !files.some((file) => defines(file, object)))
  if (stray) throw new Error(`${qualified(stray)} has no file of its own`)
}

/** Compiles the bodies of all functions: one may name an object that a changed file no longer defines. */
async function compileBodies(client: pg.Client, files: CodeFile[]): Promise<void> {
  await client.query('set local check_function_bodies = on')
  const { rows } = await client.query<{ schema: string; name: string; validate: string }>(validators, [codeSchemas])
  for (const { schema, name, validate } of rows) {
    try {
      await client.query(validate)
    } catch (error) {
      const file = files.find((candidate) => candidate.schema === schema && candidate.name === name)
      if (!(error instanceof pg.DatabaseError) || file === undefined) throw error
      const where = error.where ? ` (${error.where})` : ''
      throw new Error(`${file.path}: ${error.message}${where}`, { cause: error })
    }
  }
}

const validators = `
  select n.nspname as schema, p.proname as name,
    pg_catalog.format('select pg_catalog.%I(%s)', v.proname, p.oid) as validate
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  join pg_catalog.pg_language l on l.oid = p.prolang
  join pg_catalog.pg_proc v on v.oid = l.lanvalidator
  where n.nspname = any($1) and v.pronamespace = 'pg_catalog'::regnamespace
  order by 1, 2`

/**
 * A view's column without a comment takes that of the column of the same name that it reads, if there is just one. Views
 * may read views, so this is repeated until nothing is left.
 */
async function inheritColumnComments(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select pg_catalog.format('comment on column %s.%I is %L', c.oid::regclass, a.attname, min(d.description))
       as statement
     from pg_catalog.pg_class c
     join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     join pg_catalog.pg_rewrite r on r.ev_class = c.oid
     join pg_catalog.pg_depend read on read.objid = r.oid and read.classid = 'pg_catalog.pg_rewrite'::regclass
       and read.refclassid = 'pg_catalog.pg_class'::regclass and read.refobjid <> c.oid
     join pg_catalog.pg_attribute source on source.attrelid = read.refobjid and source.attnum = read.refobjsubid
       and source.attname = a.attname
     join pg_catalog.pg_description d
       on d.objoid = source.attrelid and d.objsubid = source.attnum and d.classoid = read.refclassid
     where c.relkind = 'v' and c.relnamespace::regnamespace::text = any($1)
       and pg_catalog.col_description(c.oid, a.attnum) is null
     group by c.oid, a.attname having count(distinct d.description) = 1`,
    [codeSchemas],
  )
  if (rows.length === 0) return
  await client.query(rows.map(({ statement }) => statement).join(';'))
  await inheritColumnComments(client)
}

const schemaRoles = { api: 'supply_api', work: 'supply_worker', ops: 'supply_operator', bi: 'supply_analyst' } as const

/** The roles of operators that may read all views of `ops`, and call the functions whose files name them. */
const operatorRoles = { support: 'supply_support', trade: 'supply_trade', finance: 'supply_finance' } as const

/** What the first line of a function of operators may name: `operator` means no other role, `owner` no role at all. */
const operatorWords = [...Object.keys(operatorRoles), 'operator', 'owner']

const allRoles = [...Object.values(schemaRoles), ...Object.values(operatorRoles)]

// Other sessions see the old grants until the commit.
async function grantRights(client: pg.Client, files: CodeFile[]): Promise<void> {
  for (const schema of codeSchemas) {
    await client.query(`
      revoke all on all routines in schema ${schema} from public, ${allRoles.join(', ')};
      revoke all on all tables in schema ${schema} from public, ${allRoles.join(', ')}`)
  }
  for (const [schema, role] of Object.entries(schemaRoles)) {
    await client.query(`
      grant execute on all routines in schema ${schema} to ${role};
      grant select on all tables in schema ${schema} to ${role}`)
  }
  await client.query(`grant select on all tables in schema ops to ${Object.values(operatorRoles).join(', ')}`)
  const functions = files.filter((file) => file.schema === 'ops' && !isView(file))
  for (const [word, role] of Object.entries(operatorRoles)) {
    await onFunctions(client, functions.filter(isFor(word)), `grant execute on function %s to ${role}`)
  }
  await onFunctions(client, functions.filter(isFor('owner')), 'revoke execute on function %s from supply_operator')
  // A view calls its functions with the rights of its reader. Nobody can name these: no operator may enter their schema.
  const readers = [schemaRoles.ops, ...Object.values(operatorRoles)].join(', ')
  await onFunctions(client, files.filter(isOfViews), `grant execute on function %s to ${readers}`)
  for (const view of files.filter((file) => file.schema === 'ops' && isView(file) && takesInserts(file))) {
    const roles = Object.entries(operatorRoles).filter(([word]) => isFor(word)(view))
    const names = [schemaRoles.ops, ...roles.map(([, role]) => role)].join(', ')
    await client.query(`grant insert on ${qualified(view)} to ${names}`)
  }
}

const takesInserts = ({ sql }: CodeFile) => sql.startsWith('-- Roles: ')

const isOfViews = ({ schema, sql }: CodeFile) => schema === 'core' && sql.startsWith('-- Views of ops call it.\n')

const isFor = (word: string) => (file: CodeFile) => wordsOf(file).includes(word)

/** The roles that the first line of a file of operators names: `-- Roles: support, finance`. */
function wordsOf(file: CodeFile): string[] {
  const words = /^-- Roles: (.+)\n/.exec(file.sql)?.[1]?.split(', ') ?? []
  if (words.length > 0 && words.every((word) => operatorWords.includes(word))) return words
  throw new Error(`${file.path}: its first line must be "-- Roles: " and some of ${operatorWords.join(', ')}`)
}

/** Runs a statement for each function of the files, with `%s` for its signature. */
async function onFunctions(client: pg.Client, files: CodeFile[], statement: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `select pg_catalog.format($2, p.oid::regprocedure) as statement
     from pg_catalog.pg_proc p where p.pronamespace::regnamespace || '.' || p.proname = any($1)`,
    [files.map(qualified), statement],
  )
  await client.query(rows.map((row) => row.statement).join(';'))
}

function isCodeSchema(name: string): boolean {
  return codeSchemas.some((schema) => schema === name)
}

function isView({ sql }: CodeFile): boolean {
  return /^create or replace view /im.test(sql)
}

const isSame = (one: CodeObject) => (other: CodeObject) => one.objid === other.objid && one.version === other.version

function defines(file: CodeFile, object: { schema: string; name: string }): boolean {
  return file.schema === object.schema && file.name === object.name
}

function qualified({ schema, name }: { schema: string; name: string }): string {
  return `${schema}.${name}`
}

/** The error of a file that PostgreSQL refuses, with the file's path and the line in the message. */
function codeError(file: CodeFile, error: pg.DatabaseError): Error {
  const line = error.position === undefined ? '' : `:${lineAt(file.sql, Number(error.position))}`
  return new Error(`${file.path}${line}: ${error.message}`, { cause: error })
}

function lineAt(text: string, position: number): number {
  return [...text].slice(0, position - 1).filter((character) => character === '\n').length + 1
}
