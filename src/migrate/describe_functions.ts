import { hostsOf } from '../database/connections/hosts.ts'
import { withClient } from '../database/connections/open_client.ts'

/** An argument or a column; `type` as PostgreSQL's `format_type` writes it. */
export type Field = { name: string; type: string }

/** A function as the catalog describes it. */
export type FunctionDescription = {
  /** `schema.name` */
  name: string
  comment: string | null
  args: (Field & { optional: boolean })[]
  /** The type of the result; with `columns` it is not needed. */
  returns: string
  returnsSet: boolean
  /** The columns of a row result, null for a scalar. */
  columns: Field[] | null
}

/** A type of the schema `supply`: an enum with its labels, or a composite type with its columns. */
export type TypeDescription = { name: string; comment: string | null; labels: string[] | null; columns: Field[] | null }

export type DatabaseDescription = { functions: FunctionDescription[]; types: TypeDescription[] }

/**
 * The functions of `api`, `work` and `ops`, and the types of `supply`, sorted by name. A function with two forms is for
 * psql, and left out.
 */
export async function describeFunctions(databaseUrl: string): Promise<DatabaseDescription> {
  const { url } = await hostsOf(databaseUrl).find()
  return withClient({ connectionString: url }, async (client) => {
    await client.query(`set search_path = ''`)
    const functions = await client.query<FunctionDescription>(functionsQuery, [['api', 'work', 'ops']])
    const types = await client.query<TypeDescription>(typesQuery)
    return { functions: functions.rows, types: types.rows }
  })
}

const typesQuery = `
  select
    pg_catalog.format_type(t.oid, null) as name,
    pg_catalog.obj_description(t.oid, 'pg_type') as comment,
    (select json_agg(e.enumlabel order by e.enumsortorder) from pg_catalog.pg_enum e
      where e.enumtypid = t.oid) as labels,
    (select json_agg(json_build_object(
        'name', a.attname, 'type', pg_catalog.format_type(a.atttypid, null)) order by a.attnum)
      from pg_catalog.pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped) as columns
  from pg_catalog.pg_type t
  join pg_catalog.pg_namespace n on n.oid = t.typnamespace and n.nspname = 'supply'
  left join pg_catalog.pg_class c on c.oid = t.typrelid
  where t.typtype = 'e' or c.relkind = 'c'
  order by 1`

// proargmodes is null where all arguments are plain inputs; proargtypes counts from 0.
const functionsQuery = `
  select
    n.nspname || '.' || p.proname as name,
    pg_catalog.obj_description(p.oid, 'pg_proc') as comment,
    coalesce(a.args, '[]') as args,
    pg_catalog.format_type(p.prorettype, null) as returns,
    p.proretset as "returnsSet",
    coalesce(a.columns, r.columns) as columns
  from pg_catalog.pg_proc p
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  cross join lateral (
    select
      json_agg(json_build_object(
        -- A polymorphic argument takes an id, or a reference as text.
        'name', f.name,
        'type', case f.type when 'anycompatible'::regtype then 'text' else pg_catalog.format_type(f.type, null) end,
        'optional', f.input > p.pronargs - p.pronargdefaults
      ) order by f.place) filter (where f.mode in ('i', 'b', 'v')) as args,
      json_agg(json_build_object(
        'name', f.name, 'type', pg_catalog.format_type(f.type, null)
      ) order by f.place) filter (where f.mode in ('o', 'b', 't')) as columns
    from (
      select t.type, t.place, coalesce(p.proargmodes[t.place], 'i') as mode, p.proargnames[t.place] as name,
        count(*) filter (where coalesce(p.proargmodes[t.place], 'i') in ('i', 'b', 'v'))
          over (order by t.place) as input
      from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality as t (type, place)
    ) f
  ) a
  left join lateral (
    select json_agg(json_build_object(
      'name', c.attname, 'type', pg_catalog.format_type(c.atttypid, null)
    ) order by c.attnum) as columns
    from pg_catalog.pg_type t
    join pg_catalog.pg_attribute c on c.attrelid = t.typrelid and c.attnum > 0 and not c.attisdropped
    where t.oid = p.prorettype and t.typtype = 'c'
  ) r on true
  where n.nspname = any($1) and p.prokind = 'f' and p.prorettype <> 'trigger'::regtype
    and not exists (
      select from pg_catalog.pg_proc o
      where o.pronamespace = p.pronamespace and o.proname = p.proname and o.oid <> p.oid)
  order by n.nspname, p.proname`
