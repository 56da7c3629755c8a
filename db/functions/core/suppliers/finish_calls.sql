create or replace function core.finish_calls(
  results jsonb, deadline interval, unsafe_after interval, to_send int default 0, pool_id text default null
)
returns table (ordinal int, verdict text, ended_outcome text, ended_seconds double precision, attempt core.leased_attempts)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  item_ids uuid[] := core.lock_results(results);
  answers jsonb[];
  deferred jsonb;
  is_noted boolean;
  is_waiting boolean;
  is_open boolean;
  noted record;
  answer jsonb;
  applied record;
  stuck uuid[] := '{}';
  settled bigint[];
  ended record;
  causes text[] := '{}';
  messages text[] := '{}';
begin
  if jsonb_array_length(results) > cardinality(item_ids) then
    return query
    select (r ->> 'ordinal')::int, 'busy', null::text, null::double precision, null::core.leased_attempts from jsonb_array_elements(results) r where (r ->> 'itemId')::uuid <> all (item_ids);
    results := (select coalesce(jsonb_agg(r), '[]') from jsonb_array_elements(results) r where (r ->> 'itemId')::uuid = any (item_ids));
    if results = '[]' then
      return;
    end if;
  end if;

  answers := core.classify_results(results, unsafe_after);
  select jsonb_agg(a) filter (where a ->> 'verdict' = 'deferred'),
    bool_or((a ->> 'isNoted')::boolean), bool_or(a ->> 'verdict' = 'waiting'), bool_or(a ->> 'verdict' <> 'settled')
  into deferred, is_noted, is_waiting, is_open from unnest(answers) as a;
  settled := core.settle_items(answers);
  -- Most often all results settle their items, and nothing else is to be looked at.
  if is_open then
    if is_waiting then
      stuck := core.plan_calls(answers, deadline);
      perform core.leave_unreachable(answers);
    end if;

    -- Rare results, one by one: a part, too many codes, no stock, a result that comes too late.
    for answer in select a from unnest(answers) as a where a ->> 'verdict' = 'individual' order by a ->> 'itemId' loop
      select r.* into applied from core.apply_result(answer) r;
      answers := array_append(answers, answer || jsonb_build_object('verdict', applied.verdict));
      if applied.settled_order is not null then
        settled := settled || applied.settled_order;
      end if;
      if applied.alert_cause is not null then
        causes := causes || applied.alert_cause;
        messages := messages || applied.alert_message;
      end if;
    end loop;
    answers := array(
      select case when (a ->> 'itemId')::uuid = any (stuck) then a || '{"verdict": "stuck"}' else a end
      from unnest(answers) as a where a ->> 'verdict' not in ('individual', 'deferred'));
  end if;
  perform core.finish_attempts(answers);
  select array_agg(o.outcome) as outcomes, array_agg(o.seconds) as seconds, array_agg(o.event_id) as events
  into ended from core.finish_orders(settled, to_send, pool_id) o;
  if is_open then
    perform core.enqueue('call_supplier', array_agg(i.id), array_agg(i.next_check_at), 'call_supplier')
    from supply.order_items i
    where i.id = any (item_ids) and i.completed_at is null and i.next_check_at is not null and i.lease_expires_at is null
    having count(*) > 0;
  end if;
  if cardinality(settled) > 0 then
    select n.causes, n.messages into noted from core.sold_twice(item_ids) n;
    causes := causes || noted.causes;
    messages := messages || noted.messages;
  end if;
  if cardinality(stuck) > 0 then
    select causes || array_agg('item_stuck:' || i.supplier),
      messages || array_agg(format('supplier %s has not settled item %s within its deadline', i.supplier, i.id))
    into causes, messages
    from supply.order_items i where i.id = any (stuck);
  end if;
  if is_noted then
    perform core.call_next(answers);
    select n.causes, n.messages into noted from core.count_answers(answers) n;
    causes := causes || noted.causes;
    messages := messages || noted.messages;
  end if;
  perform core.raise_alerts(causes, messages);

  return query
  select (a.answer ->> 'ordinal')::int, a.answer ->> 'verdict', null::text, null::double precision, null::core.leased_attempts
  from unnest(answers) as a (answer);
  if cardinality(settled) > 0 then
    return query
    select null::int, null::text, e.outcome, e.seconds,
      (select l from core.leased_attempts l where l.event_id = e.event_id)
    from unnest(ended.outcomes, ended.seconds, ended.events) as e (outcome, seconds, event_id);
  end if;
  if deferred is not null then
    return query select r.* from core.finish_calls(deferred, deadline, unsafe_after) r;
  end if;
end
$$;
comment on function core.finish_calls is
  'Records many suppliers'' results, each applied to its item: [{ordinal, itemId, attemptId, leaseToken (the fencing token; null: a push), result}]. '
  'Settles items, ends orders, plans the next calls and raises alerts. Returns a row for each result (ordinal, verdict), '
  'for each order that ended (outcome; seconds since it was placed), and for each first attempt that it leased to the caller (core.finish_orders). '
  'A verdict is busy where core.lock_results did not get its locks. unsafe_after: as core.classify_results.';
