create or replace function api.read_timeline()
returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select core.current_timeline()
$$;
comment on function api.read_timeline is
  'The timeline of the database: another one after each promotion of a standby. Raises on a standby.';
