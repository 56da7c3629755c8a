import type pg from 'pg'
import { codeSchemas } from './sql_files.ts'

/**
 * Refuses a database in which a login that may call our functions may create something: what it creates, such as a type
 * with casts of its own, could run with the rights of supply_owner. A superuser, and a login with the rights of
 * supply_owner, gain nothing by it. Rejects with each right, and the statement that takes it away.
 */
export async function refuseCreators(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ who: string; right: string; statement: string }>(creators, [codeSchemas])
  const first = rows[0]
  if (first === undefined) return
  throw new Error(
    `${first.who} may ${first.right}, and a login of the service or of an operator must not create anything, because ` +
      `it could run with the rights of supply_owner; take it away: ${rows.map(({ statement }) => statement).join('; ')}`,
  )
}

const creators = `
  with callers as (
    select l.oid from pg_catalog.pg_roles l
    where not l.rolsuper and not pg_catalog.pg_has_role(l.oid, 'supply_owner', 'member') and exists (
      select from pg_catalog.pg_namespace n, pg_catalog.aclexplode(n.nspacl) a
      where n.nspname = any ($1) and a.grantee <> 0 and pg_catalog.pg_has_role(l.oid, a.grantee, 'member'))
  ), reached as (
    select r.oid from pg_catalog.pg_roles r
    where exists (select from callers c where pg_catalog.pg_has_role(c.oid, r.oid, 'member'))
  ), rights as (
    select pg_catalog.format('schema %I', n.nspname) as place, n.nspowner as owner, a.grantee, a.privilege_type
    from pg_catalog.pg_namespace n,
      pg_catalog.aclexplode(coalesce(n.nspacl, pg_catalog.acldefault('n', n.nspowner))) a
    where n.nspname !~ '^pg_(toast|temp_|toast_temp_)'
    union all
    select pg_catalog.format('database %I', d.datname), d.datdba, a.grantee, a.privilege_type
    from pg_catalog.pg_database d,
      pg_catalog.aclexplode(coalesce(d.datacl, pg_catalog.acldefault('d', d.datdba))) a
    where d.datname = pg_catalog.current_database()
  ), named as (
    select r.*, case r.grantee when 0 then 'public' else pg_catalog.quote_ident(g.rolname) end as name
    from rights r left join pg_catalog.pg_roles g on g.oid = r.grantee
    where r.privilege_type in ('CREATE', 'TEMPORARY') and (r.grantee = 0 or r.grantee in (select oid from reached))
  )
  select case n.grantee when 0 then 'everybody' else n.name end as who,
    case n.privilege_type when 'CREATE' then 'create in ' else 'create temporary objects in ' end || n.place as right,
    case when n.grantee = n.owner then pg_catalog.format('alter %s owner to current_user', n.place)
      else pg_catalog.format('revoke %s on %s from %s', lower(n.privilege_type), n.place, n.name) end as statement
  from named n order by 1, 2`
