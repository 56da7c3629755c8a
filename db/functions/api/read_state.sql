create or replace function api.read_state(process_id uuid)
returns table (mark bigint, migration text, checksum text, release text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select (select m.mark from supply.read_marks m where m.process_id = read_state.process_id), r.migration, r.checksum,
    r.release
  from api.readiness() r
$$;
comment on function api.read_state is
  'Returns the latest mark of a process that this server has (null: none), the latest migration, the checksum of the
code, and the release that migrated it last. For standbys.';
