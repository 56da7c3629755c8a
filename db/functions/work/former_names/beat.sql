create or replace function work.beat(lock_key bigint, pool_ids text[] default '{}')
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$ select work.heartbeat(lock_key, pool_ids) $$;
comment on function work.beat is
  'The former name of work.heartbeat, for workers that still run while the database is migrated.';
