create or replace function core.finish_calls(
  results supply.call_result[], deadline interval, unsafe_after interval, to_send int default 0, pool_id text default null
)
returns table (
  ordinal int, verdict text, ended_outcome text, ended_seconds double precision, attempt core.leased_attempts
)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  seen record;
  applied record;
  noted record;
  ended record;
  stuck uuid[] := '{}';
  settled bigint[];
  causes text[] := '{}';
  messages text[] := '{}';
begin
  results := core.classify_results(results, core.lock_results(results), unsafe_after);
  select bool_or(r.verdict = 'busy') as any_busy, bool_or(r.verdict = 'waiting') as any_waiting,
    bool_or(r.verdict <> 'settled') as any_open,
    bool_or(r.outcome in ('unknown', 'not_placed') or r.supplier = any (array(
      select s.code from supply.suppliers s
      where s.failures > 0 or s.open_since is not null or s.trouble is not null or s.max_calls is not null))) as any_noted
  into seen from unnest(results) as r;
  if seen.any_busy then
    return query
    select r.ordinal, 'busy', null::text, null::double precision, null::core.leased_attempts
    from unnest(results) as r where r.verdict = 'busy';
    results := array(select r from unnest(results) as r where r.verdict <> 'busy');
  end if;

  settled := core.settle_items(results);
  -- Most often all results settle their items, and nothing else is to be done.
  if seen.any_open then
    if seen.any_waiting then
      stuck := core.plan_calls(results, deadline);
      perform core.leave_unreachable(results);
    end if;
    for place in 1..cardinality(results) loop
      if results[place].verdict = 'individual' then
        applied := core.apply_result(results[place]);
        results[place].verdict := applied.verdict;
        settled := settled || applied.settled_order;
        causes := causes || applied.alert_cause;
        messages := messages || applied.alert_message;
      elsif results[place].item_id = any (stuck) then
        results[place].verdict := 'stuck';
        causes := causes || ('item_stuck:' || results[place].supplier);
        messages := messages || format('supplier %s has not settled item %s within its deadline',
          results[place].supplier, results[place].item_id);
      end if;
    end loop;
    settled := array_remove(settled, null);
    perform core.enqueue('call_supplier', array_agg(i.id), array_agg(i.next_check_at), 'call_supplier')
    from supply.order_items i
    where i.id = any (array(select r.item_id from unnest(results) as r)) and i.completed_at is null
      and i.next_check_at is not null and i.lease_expires_at is null
    having count(*) > 0;
  end if;
  perform core.finish_attempts(results);

  select array_agg(o.outcome) as outcomes, array_agg(o.seconds) as seconds, array_agg(o.event_id) as events
  into ended from core.finish_orders(settled, to_send, pool_id) o;
  if cardinality(settled) > 0 then
    noted := core.sold_twice(array(select r.item_id from unnest(results) as r));
    causes := causes || noted.causes;
    messages := messages || noted.messages;
  end if;
  if seen.any_noted then
    perform core.call_next(results);
    noted := core.count_answers(results);
    causes := causes || noted.causes;
    messages := messages || noted.messages;
  end if;
  if cardinality(causes) > 0 then
    perform core.raise_alerts(array_remove(causes, null), array_remove(messages, null));
  end if;

  return query
  select r.ordinal, r.verdict, null::text, null::double precision, null::core.leased_attempts from unnest(results) as r
  union all
  select null, null, e.outcome, e.seconds, (select l from core.leased_attempts l where l.event_id = e.event_id)
  from unnest(ended.outcomes, ended.seconds, ended.events) as e (outcome, seconds, event_id);
end
$$;
comment on function core.finish_calls is
  'Records results of suppliers: settles items, ends orders, plans the next calls and raises alerts. Returns what work.finish_calls
returns. A verdict is busy, and nothing is recorded, where core.lock_results did not get its locks, or where another result of the
same item comes first. Specification 3.';
