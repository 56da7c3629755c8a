create or replace function work.readiness()
returns table (migration text, checksum text, release text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select r.migration, r.checksum, r.release from api.readiness() r
$$;
comment on function work.readiness is 'As api.readiness, for a worker.';
