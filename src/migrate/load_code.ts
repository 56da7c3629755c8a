import pg from 'pg'
import { type CodeObject, codeObjects, dropWithDependents } from './code_objects.ts'
import type { Retry } from './retries.ts'
import { type CodeFile, codeChecksum, codeSchemas } from './sql_files.ts'
import { isAsInFile, lockViews } from './views.ts'

/** A file that PostgreSQL refuses, with the file's path and the line in the message. */
class CodeError extends Error {}

/** All files, and the versions of the objects that none of them has made, replaced or confirmed yet, by id. */
type Loading = { files: CodeFile[]; before: Map<string, string> }

// The object needs another one that a later file may define.
const missingCodes = new Set(['42P01', '42883', '42704', '42703'])

// `create or replace` cannot change a result type, a parameter's name or a view's columns. With other argument types it
// makes a second function, and the name alone, in the file's comment and grants, does not tell which is meant (42725).
const conflictCodes = new Set(['42P13', '42P16', '42809', '42725'])

/**
 * Makes the code schemas be what the files say, in one transaction, if the files changed since the last time or `force`
 * is set. What is unchanged in form is replaced in place, so calls under way do not notice. What changed its
 * signature, result type or columns is dropped with what depends on it and made again; what has no file any more is
 * dropped. Rights are given by schema, to the role that it is for and to nobody else. Returns whether anything was loaded.
 *
 * Readers of a view hinder its replacement, and so do the transactions that have read it and are still open. So a view
 * that is as its file says stays, and what has to be locked is locked last, by `retry`: calls under way pass meanwhile.
 *
 * Throws, with everything rolled back, on a file that does not load, that defines not exactly the object it is named
 * after, whose body does not compile, or if something outside the code schemas depends on what must go.
 */
export async function loadCode(
  client: pg.Client,
  files: CodeFile[],
  { retry = (work) => work(), force = false }: { retry?: Retry; force?: boolean } = {},
): Promise<boolean> {
  const checksum = codeChecksum(files)
  await client.query(`
    begin;
    set local role supply_owner;
    set local search_path = '';
    set local check_function_bodies = off;
    set local plpgsql.extra_errors = 'all'`)
  const { rows } = await client.query<{ checksum: string }>('select checksum from supply.code_version')
  if (!force && rows[0]?.checksum === checksum) {
    await client.query('rollback')
    return false
  }
  await forgetColumnComments(client)
  const before = new Map((await codeObjects(client)).map(({ id, version }) => [id, version]))
  const loading = { files, before }
  const changed = await loadWithoutLocks(client, loading)
  await lockAndLoad(client, changed, loading, retry)
  refuseMisfits(files, await codeObjects(client))
  await validateBodies(client, files)
  await inheritColumnComments(client)
  await grantRights(client)
  await client.query(
    `insert into supply.code_version (id, checksum, loaded_at) values (true, $1, now())
     on conflict (id) do update set checksum = excluded.checksum, loaded_at = excluded.loaded_at`,
    [checksum],
  )
  await client.query('commit')
  return true
}

// A comment that has left its file is gone.
async function forgetColumnComments(client: pg.Client): Promise<void> {
  await runEach(
    client,
    `
    select pg_catalog.format('comment on column %s.%I is null', a.attrelid::regclass, a.attname) as statement
    from pg_catalog.pg_class c join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'v' and c.relnamespace::regnamespace::text = any($1)`,
  )
}

/** A view's column without a comment takes that of the column of the same name that it reads, if there is just one. */
async function inheritColumnComments(client: pg.Client): Promise<void> {
  await runEach(
    client,
    `
    select pg_catalog.format('comment on column %s.%I is %L', c.oid::regclass, a.attname, min(d.description)) as statement
    from pg_catalog.pg_class c
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_catalog.pg_rewrite r on r.ev_class = c.oid
    join pg_catalog.pg_depend read on read.objid = r.oid and read.classid = 'pg_catalog.pg_rewrite'::regclass
      and read.refclassid = 'pg_catalog.pg_class'::regclass and read.refobjid <> c.oid
    join pg_catalog.pg_attribute source on source.attrelid = read.refobjid and source.attnum = read.refobjsubid
      and source.attname = a.attname
    join pg_catalog.pg_description d on d.objoid = source.attrelid and d.objsubid = source.attnum and d.classoid = read.refclassid
    where c.relkind = 'v' and c.relnamespace::regnamespace::text = any($1)
      and pg_catalog.col_description(c.oid, a.attnum) is null
    group by c.oid, a.attname having count(distinct d.description) = 1`,
  )
}

/** Runs the statements that a query over the code schemas makes. */
async function runEach(client: pg.Client, query: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(query, [codeSchemas])
  await client.query(rows.map(({ statement }) => statement).join(';'))
}

const roles = { api: 'supply_api', work: 'supply_worker', ops: 'supply_operator' } as const

// Others go on seeing the old grants until the commit.
async function grantRights(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ rolname: string }>(
    `select rolname from pg_catalog.pg_roles where rolname = any($1)`,
    [Object.values(roles)],
  )
  const present = rows.map(({ rolname }) => rolname)
  const grantees = ['public', ...present].join(', ')
  for (const schema of codeSchemas) {
    await client.query(`
      revoke all on all routines in schema ${schema} from ${grantees};
      revoke all on all tables in schema ${schema} from ${grantees}`)
  }
  for (const [schema, role] of Object.entries(roles)) {
    if (!present.includes(role)) continue
    await client.query(`
      grant execute on all routines in schema ${schema} to ${role};
      grant select on all tables in schema ${schema} to ${role}`)
  }
}

/** Loads what stands in nobody's way, in whatever order works. Returns the files that are left. */
async function loadWithoutLocks(client: pg.Client, { files, before }: Loading): Promise<CodeFile[]> {
  const waiting = new Set(files)
  for (let count = Number.POSITIVE_INFINITY; waiting.size < count; ) {
    count = waiting.size
    for (const file of [...waiting]) {
      const old = (await codeObjects(client, file)).filter((object) => isOld(object, before))
      const [view] = old.filter(({ isView }) => isView)
      if (view !== undefined) {
        if (!(await isAsInFile(client, file, view))) continue
        before.delete(view.id)
        waiting.delete(file)
        continue
      }
      const error = await tryToLoad(client, file)
      if (error === undefined) {
        const present = await codeObjects(client, file)
        if (!present.some((object) => isOld(object, before))) waiting.delete(file)
      } else if (!conflictCodes.has(error.code ?? '') && !missingCodes.has(error.code ?? '')) {
        throw codeError(file, error)
      }
    }
  }
  return [...waiting]
}

/** Loads the changed files, and drops what has no file any more, with a lock on every view that this concerns. */
async function lockAndLoad(
  client: pg.Client,
  changed: CodeFile[],
  loading: Loading,
  retry: Retry,
): Promise<void> {
  const { files, before } = loading
  const old = (await codeObjects(client)).filter((object) => isOld(object, before))
  const locked = await lockViews(client, old, retry)
  // A view of all columns of a changed one comes after it.
  const dependents = files.filter((file) => locked.some((view) => defines(file, view)))
  await loadFiles(client, [...changed, ...dependents], loading)
  await dropVanished(client, loading)
}

/** Loads the wanted files, and those of all objects that had to be dropped for it, in whatever order works. */
async function loadFiles(client: pg.Client, wanted: CodeFile[], { files, before }: Loading): Promise<void> {
  const waiting = new Set(wanted)
  const remade = new Set<CodeFile>()
  const drop = async (objects: CodeObject[]) => {
    const dropped = await dropWithDependents(client, objects)
    for (const file of files) if (dropped.some((object) => defines(file, object))) waiting.add(file)
  }
  while (waiting.size > 0) {
    let progress = false
    let failure: CodeError | undefined
    for (const file of [...waiting]) {
      const error = await tryToLoad(client, file)
      const present = await codeObjects(client, file)
      if (error === undefined) {
        waiting.delete(file)
        const old = present.filter((object) => isOld(object, before))
        if (old.length < present.length) await drop(old)
      } else if (conflictCodes.has(error.code ?? '') && !remade.has(file)) {
        remade.add(file)
        await drop(present)
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

/** Drops what has no file any more. What stands on it may have been remade without it; if not, it fails to load. */
async function dropVanished(client: pg.Client, loading: Loading): Promise<void> {
  const vanished = (await codeObjects(client)).filter((object) => isOld(object, loading.before))
  const dropped = await dropWithDependents(client, vanished)
  const again = loading.files.filter((file) => dropped.some((object) => defines(file, object)))
  await loadFiles(client, again, loading)
}

/** Whether no file has made or replaced the object in this loading. */
function isOld(object: CodeObject, before: Loading['before']): boolean {
  return before.get(object.id) === object.version
}

function refuseMisfits(files: CodeFile[], objects: CodeObject[]): void {
  for (const file of files) {
    const count = objects.filter((object) => defines(file, object)).length
    if (count === 0) throw new CodeError(`${file.path} does not define ${qualified(file)}`)
    // Operators name things by id or by a reference: psql gives a literal the type that the function has.
    if (count > 1 && file.schema !== 'ops') {
      throw new CodeError(`${file.path} defines ${qualified(file)} more than once: no overloads`)
    }
  }
  const known = new Set(files.map(qualified))
  const stray = objects.find((object) => !known.has(qualified(object)))
  if (stray) throw new CodeError(`${qualified(stray)} has no file of its own`)
}

async function validateBodies(client: pg.Client, files: CodeFile[]): Promise<void> {
  await client.query('set local check_function_bodies = on')
  const { rows } = await client.query<{ schema: string; name: string; validate: string }>(validators, [
    codeSchemas,
  ])
  for (const { schema, name, validate } of rows) {
    try {
      await client.query(validate)
    } catch (error) {
      const file = files.find((candidate) => candidate.schema === schema && candidate.name === name)
      if (!(error instanceof pg.DatabaseError) || file === undefined) throw error
      throw new CodeError(`${file.path}: ${error.message}${error.where ? ` (${error.where})` : ''}`, {
        cause: error,
      })
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

function defines(file: CodeFile, object: CodeObject): boolean {
  return file.schema === object.schema && file.name === object.name
}

function qualified({ schema, name }: { schema: string; name: string }): string {
  return `${schema}.${name}`
}

function codeError(file: CodeFile, error: pg.DatabaseError): CodeError {
  const line = error.position === undefined ? '' : `:${lineAt(file.sql, Number(error.position))}`
  return new CodeError(`${file.path}${line}: ${error.message}`, { cause: error })
}

function lineAt(text: string, position: number): number {
  return [...text].slice(0, position - 1).filter((character) => character === '\n').length + 1
}
