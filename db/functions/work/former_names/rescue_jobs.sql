create or replace function work.rescue_jobs()
returns int
language sql security definer set search_path = pg_catalog, pg_temp
as $$ select work.sweep() $$;
comment on function work.rescue_jobs is
  'The former name of work.sweep, for workers that still run while the database is migrated.';
