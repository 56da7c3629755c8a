create or replace function work.close_alerts()
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  gone record;
begin
  if not core.begin_periodic_task('close_alerts') then
    return 0;
  end if;
  with causes as materialized (
    select distinct a.cause from supply.alerts a where a.closed_at is null
  ), gone_causes as materialized (
    select c.cause from causes c where not core.cause_stands(c.cause)
  )
  select array_agg(a.id) as ids, array_agg(a.count) as counts, count(*)::int as number into gone
  from supply.alerts a where a.closed_at is null and a.cause in (select g.cause from gone_causes g);
  return case when gone.number > 0 then core.close_alerts(gone.ids, gone.counts) else 0 end;
end
$$;
comment on function work.close_alerts is
  'Closes the alerts whose cause is gone, and returns how many. Call it every 5 s from each worker; only one runs at a
time.';
