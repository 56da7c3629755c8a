create or replace function work.prune_simulated_orders()
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  at_once constant int := 1000;
  before constant timestamptz := now() - interval '7 days';
  run supply.housekeeping := core.begin_removal('simulated orders', true);
  old uuid[] := array(
    select o.id from supply.simulated_orders o where o.created_at < before
    order by o.created_at limit at_once for update skip locked);
begin
  if run.what is null then
    return 0;
  end if;
  delete from supply.simulated_orders o where o.id = any (old);
  perform core.end_removal(run, cardinality(old), before, cardinality(old) > 0);
  return cardinality(old);
end
$$;
comment on function work.prune_simulated_orders is
  'Deletes simulated orders that were asked for more than 7 days ago, final or not: at most 1,000 at a time. Returns how many. '
  'A job of a deleted one finds nothing to do. Call it every minute until it returns 0.';
