create or replace function core.record_origin()
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  insert into supply.origin as o (id, cluster, database_oid, timeline)
  select c.id, c.cluster, c.database_oid, c.timeline from core.current_origin() c
  on conflict on constraint origin_pkey do update set
    cluster = excluded.cluster, database_oid = excluded.database_oid, timeline = excluded.timeline, recorded_at = now(),
    moved_to = null, lost = '{}', moved_at = case when o.timeline = excluded.timeline then o.moved_at else now() end
$$;
comment on function core.record_origin is
  'Records where this database is now: workers may run on it here, and call suppliers.';
