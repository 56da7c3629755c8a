create or replace function api.record_time_zone(zone text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.require(exists (select from pg_timezone_names n where n.name = zone),
    format('BUSINESS_TIME_ZONE: PostgreSQL does not know the time zone %s', zone), hint => 'Such as Europe/Berlin.');
  insert into supply.business_zone as z (name) values (zone)
  on conflict on constraint business_zone_pkey do update set name = excluded.name where z.name <> excluded.name;
end
$$;
comment on function api.record_time_zone is
  'Records the time zone in which days and months of operators'' figures begin. Raises if PostgreSQL does not know it.';
