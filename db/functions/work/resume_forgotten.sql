create or replace function work.resume_forgotten()
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  items uuid[];
  first_calls uuid[];
  alerts uuid[];
begin
  if not core.begin_periodic_task('resume_forgotten') then
    return 0;
  end if;
  items := array(
    select i.id from supply.order_items i
    where i.completed_at is null and i.held_at is null and i.limited_rank is null
      and coalesce(i.lease_expires_at, i.next_check_at, '-infinity') < now() - interval '30 s'
      -- Its job is in a worker's hands, comes soon, or waits after a failure.
      and not exists (
        select from core.jobs j
        where j.key = 'call_supplier:' || i.id
          and (not j.is_available or j.last_error is not null or j.run_at < now() + interval '10 minutes'))
    order by i.id limit 10000);
  if cardinality(items) > 0 then
    -- The first call of an item has a job without a key. These are read once, and compared by a hash table.
    first_calls := array(
      select j.subject from core.jobs j where j.task = 'call_supplier' and j.key is null and j.subject is not null);
    items := array(
      select i.id from supply.order_items i
      where i.id = any (items) and i.id <> all (first_calls) and i.completed_at is null
      order by i.id for no key update skip locked);
    perform core.limit_items(items);
    perform core.fill_places(array(select distinct i.supplier from supply.order_items i where i.id = any (items)));
  end if;

  alerts := array(
    select a.id from supply.alerts a
    where (a.sent_at is null or a.closed_at is not null and a.end_sent_at is null)
      and greatest(a.last_at, a.closed_at) < now() - interval '30 s'
    order by a.id);
  if cardinality(alerts) > 0 then
    alerts := array(
      select a.id from unnest(alerts) as a (id)
      where a.id <> all (array(
        select j.subject from core.jobs j where j.task = 'alert_operators' and j.subject is not null)));
    perform core.enqueue('alert_operators', alerts);
  end if;
  return cardinality(items) + cardinality(alerts);
end
$$;
comment on function work.resume_forgotten is
  'Finds what has no job: open items whose call or lease was due 30 s ago get a place at their supplier, or wait for
one; alerts that were not sent get a job. Returns how many: 0 while all is well. Call it every 30 s from each worker;
only one runs at a time. work.fill_slots does it for events.';
