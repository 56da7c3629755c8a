create or replace function api.redeliver_dead(account_id bigint, key_id bigint, since timestamptz, dry_run boolean)
returns table (result text, retry_after int, count int)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  at_once constant int := 10000;
  subject constant text := redeliver_dead.account_id;
  made record;
  ids uuid[];
begin
  select c.* into made from core.count_hits('redeliveries', array[subject], '{0}', '{60}') c;
  ids := array(
    select e.id from supply.events e
    where e.account_id = redeliver_dead.account_id and e.state = 'dead' and e.order_id is not null
      and e.dead_at >= since and core.last_redelivery(e.id) is null
    order by e.dead_at limit at_once);
  if dry_run then
    return query select 'counted', null::int, cardinality(ids);
  elsif made.hits >= 60 then
    return query select 'TOO_MANY_REDELIVERIES', core.seconds_left(made.ends_at), null::int;
  else
    perform core.count_hits('redeliveries', array[subject], '{1}', '{60}');
    return query select 'started', null::int, core.start_rounds(ids, key_id => redeliver_dead.key_id)::int;
  end if;
end
$$;
comment on function api.redeliver_dead is
  'Starts a new round for the account''s events that died since then, the 10,000 oldest at most, except those that the
partner redelivered within a minute. dry_run: only counts. Returns started or counted with how many; or
TOO_MANY_REDELIVERIES with the seconds to wait: it counts as one of 60 redeliveries a minute.
nullable: retry_after, count';
