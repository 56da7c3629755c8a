create or replace function core.lock_is_held(lock_id bigint)
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from pg_locks l
    where l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and (l.classid::bigint << 32 | l.objid::bigint) = lock_id
  )
$$;
comment on function core.lock_is_held is 'Whether a session holds the advisory lock.';
