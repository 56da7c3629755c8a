create or replace function core.stand_in_line(event_ids uuid[])
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  select core.deliver_later(event_ids, array_fill(now() + interval '1 day', array[cardinality(event_ids)]), core.line_priority())
$$;
comment on function core.stand_in_line is
  'Has due events for which their account has no room wait until core.call_line calls them. Nobody looks at them before, unless nobody '
  'calls for a day.';
revoke all on function core.stand_in_line from public;
