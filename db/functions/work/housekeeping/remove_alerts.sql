create or replace function work.remove_alerts(retain interval, is_first boolean)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  at_once constant int := 1000;
  before constant timestamptz := now() - retain;
  run supply.housekeeping := core.begin_removal('alerts', is_first);
  old uuid[];
begin
  if run.what is null then
    return false;
  end if;
  old := array(
    select a.id from supply.alerts a
    where a.last_at < before and (a.acknowledged_at < before or a.closed_at < before) and a.sent_at is not null
      -- The audit looks for the alert of an item that still waits for an operator.
      and not exists (
        select from supply.order_items i
        cross join lateral (values ('item_stuck:', i.stuck_at), ('item_held:', i.held_at)) as waits (cause, since)
        where (i.stuck_at is not null or i.held_at is not null) and i.completed_at is null
          and starts_with(a.cause, waits.cause) and waits.since between a.first_at - interval '1 minute' and a.last_at + interval '1 minute')
    order by a.last_at limit at_once for update skip locked);
  delete from supply.alerts a where a.id = any (old);
  return core.end_removal(run, cardinality(old), before, cardinality(old) = at_once);
end
$$;
comment on function work.remove_alerts is
  'Removes alerts that were acknowledged or closed longer ago than retain and whose cause did not happen since, but none of an item that still waits for an '
  'operator: 1,000 at a time. Returns whether there is more: call it with is_first, then without until it returns false. '
  'Calls at the same time share the work.';
