create or replace function work.prune_samples()
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  at_once constant int := 1000;
  run supply.housekeeping := core.begin_removal('samples', true);
  -- Locked first: an attempt that begins meanwhile is either seen by the next statement, or finds no event.
  old uuid[] := array(
    select e.id from supply.events e
    where e.simulated and e.order_code is not null and e.created_at < now() - interval '1 day'
    order by e.created_at limit at_once for update skip locked);
begin
  if run.what is null then
    return 0;
  end if;
  delete from supply.delivery_attempts a where a.event_id = any (old);
  delete from supply.events e where e.id = any (old);
  perform core.end_removal(run, cardinality(old), now() - interval '1 day', cardinality(old) > 0);
  return cardinality(old);
end
$$;
comment on function work.prune_samples is
  'Deletes samples that were asked for more than a day ago, in any state, with their attempts: at most 1,000 at a time. Returns how many. '
  'A job of a deleted sample finds nothing to do. Call it every minute until it returns 0.';
