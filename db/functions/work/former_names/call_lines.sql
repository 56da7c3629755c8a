create or replace function work.call_lines()
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$ select work.fill_slots() $$;
comment on function work.call_lines is
  'The former name of work.fill_slots, for workers that still run while the database is migrated.';
