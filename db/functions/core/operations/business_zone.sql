create or replace function core.business_zone()
returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select coalesce((select z.name from supply.business_zone z), 'UTC')
$$;
comment on function core.business_zone is
  'Returns the time zone in which days and months of figures begin: BUSINESS_TIME_ZONE of the API that started last.';
