create or replace function api.record_pushed_result(supplier text, item_id uuid, result jsonb)
returns table (answer text, ended_outcome text, ended_seconds double precision)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  pushed supply.call_result;
  recorded supply.recorded;
  earlier record;
begin
  if not exists (
    select from supply.supplier_attempts a
    where a.item_id = record_pushed_result.item_id and a.supplier = record_pushed_result.supplier
  ) then
    return query select 'unknown_reference', null::text, null::double precision;
    return;
  end if;
  pushed.ordinal := 1;
  pushed.item_id := item_id;
  pushed.supplier := supplier;
  pushed.method := 'push';
  pushed.outcome := result ->> 'status';
  pushed.codes := array(select jsonb_array_elements_text(result -> 'codes'));
  pushed.error_code := result ->> 'errorCode';
  pushed.reason := result ->> 'reason';
  pushed.supplier_order_id := result ->> 'supplierOrderId';
  pushed.unit_price := (result ->> 'unitPrice')::numeric;
  pushed.price_currency := result ->> 'currency';
  -- A push is never what makes an item stuck, so its deadline is out of reach. PostgreSQL 16 has no infinite interval.
  recorded := core.finish_calls(array[pushed], '1000 years', '30 minutes');
  pushed.verdict := recorded.answers[1].verdict;
  if pushed.verdict = 'busy' then
    return query select 'busy', null::text, null::double precision;
    return;
  end if;
  answer := 'recorded';
  ended_outcome := recorded.ended[1].outcome;
  ended_seconds := recorded.ended[1].seconds;

  select a.id, a.verdict into earlier from supply.supplier_attempts a
  where a.item_id = pushed.item_id and a.supplier = pushed.supplier and a.method = 'push' and a.outcome = pushed.outcome
    and core.code_identities(a.codes) = core.code_identities(pushed.codes)
    and a.error_code is not distinct from left(pushed.error_code, 200)
    and a.reason is not distinct from left(pushed.reason, 1000)
    and a.supplier_order_id is not distinct from left(pushed.supplier_order_id, 200)
  order by a.id desc limit 1;
  -- The same result is recorded once, but where it has another verdict since.
  if found and pushed.verdict in ('repeated', earlier.verdict) then
    update supply.supplier_attempts a set repeats = a.repeats + 1 where a.id = earlier.id;
    if (select c.hits = c.hits_before from core.count_hits('pushes', array[supplier], '{1}', '{60}') c) then
      answer := 'repeated_too_often';
    end if;
  else
    insert into supply.supplier_attempts (item_id, supplier, method)
    values (pushed.item_id, pushed.supplier, 'push') returning id into pushed.attempt_id;
    perform core.finish_attempts(array[pushed]);
  end if;
  return next;
end
$$;
comment on function api.record_pushed_result is
  'Records a result (a SupplierOutcome that is answered) that a supplier pushed. Returns recorded, unknown_reference
(the supplier never had the item), repeated_too_often (over 60 repeats a minute; still counted) or busy (nothing was
recorded). With the order that ended by it: outcome, and seconds since it was placed. Specification 7.
nullable: ended_outcome, ended_seconds';
