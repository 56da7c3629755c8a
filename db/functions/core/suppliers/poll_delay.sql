create or replace function core.poll_delay(checks int)
returns interval
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp
return make_interval(secs => coalesce((array[1, 2, 5, 10, 20, 30])[poll_delay.checks], 60));
comment on function core.poll_delay is
  'How long an item waits before its supplier is asked again, after the given number (from 1) of answers that were not final.';
