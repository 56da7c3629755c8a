create or replace function core.finish_calls(
  results supply.call_result[], deadline interval, unsafe_after interval, to_send int default 0,
  pool_id text default null
)
returns supply.recorded
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  locked_ids uuid[];
  seen record;
  settled bigint[];
  recorded supply.recorded;
  alerts supply.occurrence[] := '{}';
begin
  locked_ids := core.lock_results(results);
  -- A statement of its own, so that it sees what the last holders of the locks did.
  results := core.classify_results(results, locked_ids, deadline, unsafe_after);
  select coalesce(array_agg(row(r.ordinal, r.verdict)::supply.answer), '{}') as answers,
    bool_or(r.verdict = 'busy') as any_busy, bool_or(r.verdict <> 'settled') as any_open,
    bool_or(r.outcome in ('unknown', 'not_placed') or r.supplier = any (array(
      select s.code from supply.suppliers s
      where s.failures > 0 or s.open_since is not null or s.trouble is not null)))
      as any_noted,
    bool_or(r.supplier_order_id is not null and exists (
      select from supply.order_items i where i.id = r.item_id and i.supplier_order_id <> r.supplier_order_id))
      as any_other_order, bool_or(r.unit_price is not null) as any_price,
    bool_or(r.codes <> '{}' or r.supplier_order_id is not null or (
      select i.supplier_order_id from supply.order_items i where i.id = r.item_id) is not null) as any_named,
    exists (select from supply.data_keys k where k.closed_at is not null) as any_closed_key
  into seen from unnest(results) as r;
  if seen.any_closed_key then
    perform core.refuse_closed_keys(array(select t from unnest(results) as r cross join unnest(r.codes || r.raw) as t));
  end if;
  if seen.any_busy then
    results := array(select r from unnest(results) as r where r.verdict <> 'busy');
  end if;

  if seen.any_other_order then
    alerts := core.alerts_of_other_orders(results);
  end if;
  if seen.any_price then
    alerts := alerts || core.correct_costs(results);
  end if;
  settled := core.settle_items(results);
  -- Usually all results settle their items, and there is nothing else to do.
  if seen.any_open then
    perform core.plan_calls(results, deadline);
    perform core.hold_items(results);
    perform core.move_items(results);
    perform core.plan_jobs(array(select r.item_id from unnest(results) as r));
    alerts := alerts || core.alerts_of_results(results);
  end if;
  perform core.finish_attempts(results);

  recorded := core.finish_orders(settled, to_send, pool_id);
  recorded.answers := seen.answers;
  if seen.any_named and cardinality(settled) > 0 then
    alerts := alerts || core.sold_twice(array(select r.item_id from unnest(results) as r));
  end if;
  if seen.any_noted then
    alerts := alerts || core.count_answers(results);
  end if;
  if cardinality(alerts) > 0 then
    perform core.raise_alerts(alerts);
  end if;
  perform core.pass_places_on(results);

  return recorded;
end
$$;
comment on function core.finish_calls is
  'Records results of suppliers: settles items, ends orders, plans the next calls, raises alerts. Takes and returns
what work.finish_calls does. busy: nothing was recorded, because a lock was not free (core.lock_results), or another
result of the item comes first. Specification 3.';
