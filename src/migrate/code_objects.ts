import type pg from 'pg'
import { codeSchemas } from './sql_files.ts'

/** A function or view of a code schema. `version` changes whenever the object is replaced. */
export type CodeObject = {
  id: string
  schema: string
  name: string
  classid: number
  objid: number
  isView: boolean
  version: string
}

/** All functions and views of the code schemas, or those of one name. */
export async function codeObjects(
  client: pg.Client,
  only?: Pick<CodeObject, 'schema' | 'name'>,
): Promise<CodeObject[]> {
  const { rows } = await client.query<CodeObject>(
    `select o.classid || '/' || o.objid as id, n.nspname as schema, o.*
     from (
       select p.proname as name, 'pg_catalog.pg_proc'::regclass::oid as classid, p.oid as objid, false as "isView",
         p.xmin::text as version, p.pronamespace as namespace
       from pg_catalog.pg_proc p
       union all
       select c.relname, 'pg_catalog.pg_class'::regclass::oid, c.oid, true, r.xmin::text, c.relnamespace
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

/** The objects, and every function and view of the code schemas that depends on them. */
export async function withDependents(client: pg.Client, targets: CodeObject[]): Promise<CodeObject[]> {
  if (targets.length === 0) return []
  const closure = await closureOf(client, targets)
  const known = new Map((await codeObjects(client)).map((object) => [object.id, object]))
  return closure.flatMap(({ id }) => known.get(id) ?? [])
}

/**
 * Drops the objects and every function and view of the code schemas that depends on them. Returns all that went.
 * Throws if anything else in the database depends on one of them.
 */
export async function dropWithDependents(client: pg.Client, targets: CodeObject[]): Promise<CodeObject[]> {
  if (targets.length === 0) return []
  const closure = await closureOf(client, targets)
  const known = new Map((await codeObjects(client)).map((object) => [object.id, object]))
  const outside = closure.find(({ id }) => !known.has(id))
  if (outside) {
    const names = targets.map(({ schema, name }) => `${schema}.${name}`).join(', ')
    throw new Error(`cannot drop ${names}: ${outside.description} depends on it`)
  }
  const { rows: drops } = await client.query<{ statement: string }>(
    `select pg_catalog.format('drop %s if exists %s cascade', o.type, o.identity) as statement
     from unnest($1::oid[], $2::oid[]) as t (classid, objid)
     cross join lateral pg_catalog.pg_identify_object(t.classid, t.objid, 0) o`,
    [targets.map(({ classid }) => classid), targets.map(({ objid }) => objid)],
  )
  for (const { statement } of drops) await client.query(statement)
  return closure.flatMap(({ id }) => known.get(id) ?? [])
}

async function closureOf(
  client: pg.Client,
  targets: CodeObject[],
): Promise<{ id: string; description: string }[]> {
  const { rows } = await client.query<{ id: string; description: string }>(dependents, [
    targets.map(({ classid }) => classid),
    targets.map(({ objid }) => objid),
  ])
  return rows
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
  select classid || '/' || objid as id, pg_catalog.pg_describe_object(classid, objid, 0) as description
  from doomed
  where classid not in ('pg_catalog.pg_rewrite'::regclass, 'pg_catalog.pg_type'::regclass)`
