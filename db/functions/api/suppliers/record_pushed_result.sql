create or replace function api.record_pushed_result(supplier text, item_id uuid, result jsonb)
returns table (answer text, ended_outcome text, ended_seconds double precision)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  recorded_id bigint;
  attempt_id bigint;
  recorded record;
begin
  if not exists (
    select from supply.supplier_attempts a where a.item_id = record_pushed_result.item_id and a.supplier = record_pushed_result.supplier
  ) then
    return query select 'unknown_reference', null::text, null::double precision;
    return;
  end if;
  if cardinality(core.lock_results(jsonb_build_array(jsonb_build_object('itemId', item_id, 'result', result)))) = 0 then
    return query select 'busy', null::text, null::double precision;
    return;
  end if;
  -- The lock of the order: of two equal pushes at the same moment the second sees the record of the first.
  recorded_id := core.pushed_before(item_id, supplier, result);
  attempt_id := recorded_id;
  if recorded_id is null then
    insert into supply.supplier_attempts (item_id, supplier, method)
    values (record_pushed_result.item_id, record_pushed_result.supplier, 'push')
    returning id into attempt_id;
  end if;

  -- A push is never what makes an item stuck, so its deadline is out of reach. PostgreSQL 16 has no infinite interval.
  select max(r.verdict) as verdict, max(r.ended_outcome) as ended_outcome, max(r.ended_seconds) as ended_seconds into recorded
  from core.finish_calls(
    jsonb_build_array(jsonb_build_object('ordinal', 1, 'itemId', item_id, 'attemptId', attempt_id, 'result', result)),
    '1000 years', '30 minutes') r;
  answer := 'recorded';
  ended_outcome := recorded.ended_outcome;
  ended_seconds := recorded.ended_seconds;

  -- The same result can have another verdict since.
  if recorded_id is not null and recorded.verdict not in ('repeated', (select a.verdict from supply.supplier_attempts a where a.id = recorded_id)) then
    insert into supply.supplier_attempts (item_id, supplier, method)
    values (record_pushed_result.item_id, record_pushed_result.supplier, 'push')
    returning id into attempt_id;
    perform core.finish_attempts(array[jsonb_build_object(
      'attemptId', attempt_id, 'outcome', coalesce(result ->> 'status', result ->> 'outcome'), 'verdict', recorded.verdict, 'result', result)]);
  elsif recorded_id is not null and not core.count_repeat(recorded_id) then
    answer := 'repeated_too_often';
  end if;
  return next;
end
$$;
comment on function api.record_pushed_result is
  'Records a result that a supplier pushed (a SupplierOutcome) about an item: recorded, or unknown_reference where that supplier never had '
  'it. The same result pushed again is counted on its first record; beyond 60 of these a minute for a supplier it is repeated_too_often, '
  'and still counted. busy, of which nothing was done: another transaction has the lock of the item, its order or its account. '
  'ended_outcome and ended_seconds: of an order that ended by it, the outcome, and the '
  'seconds since it was placed.
nullable: ended_outcome, ended_seconds';
