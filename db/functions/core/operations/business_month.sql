create or replace function core.business_month(month text)
returns table (name text, from_at timestamptz, to_at timestamptz, zone text)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  zone := core.business_zone();
  name := coalesce(month, to_char(now() at time zone zone, 'YYYY-MM'));
  perform core.require(name ~ '^[0-9]{4}-(0[1-9]|1[0-2])$',
    format('%L is no month, such as %s', month, to_char(now(), 'YYYY-MM')));
  from_at := (name || '-01')::timestamp at time zone zone;
  to_at := ((name || '-01')::timestamp + interval '1 month') at time zone zone;
  return next;
end
$$;
comment on function core.business_month is
  'Returns a month (''2026-11''; null: the running one) with its first moment, the first moment after it, and the zone
in which it begins (BUSINESS_TIME_ZONE). Raises for anything else.';
