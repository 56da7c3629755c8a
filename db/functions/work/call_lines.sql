create or replace function work.call_lines()
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select work.fill_slots()
$$;
comment on function work.call_lines is
  'As work.fill_slots, under the name by which workers of the release before call it every second.';
