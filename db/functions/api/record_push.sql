create or replace function api.record_push(supplier text, item_id uuid, result jsonb, lock_wait_ms int default null)
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  recorded_id bigint;
  attempt_id bigint;
  verdict text;
begin
  if not exists (
    select from supply.supplier_attempts a where a.item_id = record_push.item_id and a.supplier = record_push.supplier
  ) then
    return 'unknown_reference';
  end if;
  if lock_wait_ms is not null and cardinality(core.lock_results(
    jsonb_build_array(jsonb_build_object('itemId', item_id, 'result', result)), lock_wait_ms)) = 0
  then
    return 'busy';
  end if;
  -- Of two equal pushes at the same moment the second sees the record of the first.
  perform 1 from supply.orders o
  where o.id = (select i.order_id from supply.order_items i where i.id = record_push.item_id)
  for no key update;
  recorded_id := core.pushed_before(item_id, supplier, result);
  attempt_id := recorded_id;
  if recorded_id is null then
    insert into supply.supplier_attempts (item_id, supplier, method)
    values (record_push.item_id, record_push.supplier, 'push')
    returning id into attempt_id;
  end if;

  -- A push is never what makes an item stuck, so its deadline is out of reach. PostgreSQL 16 has no infinite interval.
  select r.verdict into strict verdict
  from core.finish_calls(
    jsonb_build_array(jsonb_build_object('ordinal', 1, 'itemId', item_id, 'attemptId', attempt_id, 'result', result)),
    '1000 years') r;
  if recorded_id is null then
    return 'recorded';
  end if;

  -- The same result can have another verdict since.
  if verdict not in ('repeated', (select a.verdict from supply.supplier_attempts a where a.id = recorded_id)) then
    insert into supply.supplier_attempts (item_id, supplier, method)
    values (record_push.item_id, record_push.supplier, 'push')
    returning id into attempt_id;
    perform core.finish_attempts(array[jsonb_build_object(
      'attemptId', attempt_id, 'outcome', coalesce(result ->> 'status', result ->> 'outcome'), 'verdict', verdict, 'result', result)]);
    return 'recorded';
  end if;
  return case when core.count_repeat(recorded_id) then 'recorded' else 'repeated_too_often' end;
end
$$;
comment on function api.record_push is
  'Records a result that a supplier pushed (a SupplierOutcome) about an item: recorded, or unknown_reference where that supplier never had '
  'it. The same result pushed again is counted on its first record; beyond 60 of these a minute for a supplier it is repeated_too_often, '
  'and still counted. busy, of which nothing was done: another transaction has had the lock of the item, its order or its account for lock_wait_ms '
  '(null: for longer than a connection waits, which is an error).';
