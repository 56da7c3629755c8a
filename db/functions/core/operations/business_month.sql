create or replace function core.business_month(month text)
returns table (name text, from_at timestamptz, to_at timestamptz, zone text, closed boolean)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  first_day date;
begin
  zone := core.business_zone();
  name := coalesce(month, to_char(now() at time zone zone, 'YYYY-MM'));
  perform core.require(name ~ '^(?!0000)[0-9]{4}-(0[1-9]|1[0-2])$',
    format('%L is no month, such as %s', month, to_char(now(), 'YYYY-MM')));
  select c.from_at, c.to_at, c.zone, true into from_at, to_at, zone, closed from supply.closed_months c
  where c.month = name;
  if not found then
    -- Where the zone has changed since, a month still begins where the closed one before it ends.
    zone := core.business_zone();
    closed := false;
    first_day := name || '-01';
    from_at := coalesce((
      select c.to_at from supply.closed_months c where c.month = to_char(first_day - interval '1 month', 'YYYY-MM')),
      first_day::timestamp at time zone zone);
    to_at := coalesce((
      select c.from_at from supply.closed_months c where c.month = to_char(first_day + interval '1 month', 'YYYY-MM')),
      (first_day + interval '1 month') at time zone zone);
  end if;
  return next;
end
$$;
comment on function core.business_month is
  'Returns a month (''2026-11''; null: the running one) with its first moment, the first moment after it, the zone in
which it begins (BUSINESS_TIME_ZONE; of a closed month as it was then), and whether it is closed. Raises for anything
else.';
