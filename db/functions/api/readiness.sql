create or replace function api.readiness()
returns table (migration text, checksum text, standby boolean, release text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select
    (select a.name from migrations.applied a order by a.id desc limit 1),
    (select v.checksum from supply.code_version v),
    pg_is_in_recovery(),
    (select v.release from supply.code_version v)
$$;
comment on function api.readiness is
  'Returns the latest migration, the checksum of the code, whether the server is a standby, which takes no orders, and
the release that migrated it last.';
