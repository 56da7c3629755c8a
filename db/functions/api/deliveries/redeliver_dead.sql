create or replace function api.redeliver_dead(account_id bigint, key_id bigint, since timestamptz, dry_run boolean)
returns table (result text, retry_after int, count int)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  at_once constant int := 10000;
  time_window constant supply.redelivery_windows := core.lock_redeliveries(redeliver_dead.account_id);
  ids constant uuid[] := array(
    select e.id from supply.events e
    where e.account_id = redeliver_dead.account_id and e.state = 'dead' and e.order_id is not null
      and e.dead_at >= since
    order by e.dead_at limit at_once);
begin
  if dry_run then
    return query select 'counted', null::int, cardinality(ids);
  elsif time_window.requests >= 60 then
    return query
    select 'TOO_MANY_REDELIVERIES', core.seconds_left(time_window.started_at + interval '60 s'), null::int;
  else
    update supply.redelivery_windows w set requests = w.requests + 1 where w.account_id = redeliver_dead.account_id;
    return query select 'started', null::int, core.start_rounds(ids, key_id => redeliver_dead.key_id)::int;
  end if;
end
$$;
comment on function api.redeliver_dead is
  'Starts a new round for the events of the account that died since then, the 10,000 oldest at most; dry_run: only
counts them. Returns started or counted with how many; or TOO_MANY_REDELIVERIES with the seconds to wait: it counts as
one of 60 redeliveries a minute.
nullable: retry_after, count';
