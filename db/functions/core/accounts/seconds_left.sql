create or replace function core.seconds_left(ends_at timestamptz)
returns int
language sql volatile set search_path = pg_catalog, pg_temp
as $$
  select least(60, greatest(1, ceil(extract(epoch from ends_at - clock_timestamp()))))::int
$$;
comment on function core.seconds_left is
  'Returns the seconds until a window of a minute ends, 1 to 60, for Retry-After.';
