create or replace function core.moment_of(given text)
returns timestamptz
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select case
    when given !~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}' then null
    when given ~ '^[0-9-]{10}([ T][0-9:]{5,8}([.,][0-9]+)?)?$' and pg_input_is_valid(given, 'timestamp')
      then given::timestamp at time zone core.business_zone()
    when given ~ '^[0-9-]{10}[ T]' and pg_input_is_valid(given, 'timestamptz') then given::timestamptz
  end
$$;
comment on function core.moment_of is
  'Returns the moment that a text of a list means: 2026-11-30, or 2026-11-30 14:05, in BUSINESS_TIME_ZONE unless it ends
with a zone (Z, +02, Europe/Berlin). Null: it means none.';
