create or replace function core.apply_result(
  result supply.call_result, out verdict text, out settled_order bigint, out alert_cause text, out alert_message text
)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  item constant supply.order_items := (select i from supply.order_items i where i.id = result.item_id);
  codes constant text[] := result.codes;
  distinct_codes constant text[] := array(select distinct c from unnest(result.codes) as c order by c);
  kept_codes constant text[] := array(select k.code from supply.item_keys k where k.item_id = item.id);
  delivered int;
  hold_reason text;
  offer core.active_offers;
begin
  if item.completed_at is not null or item.supplier <> result.supplier then
    verdict := case
      when result.outcome not in ('completed', 'failed') and not (result.outcome = 'hold' and codes <> '{}') then 'stale'
      when exists (
        select from supply.supplier_attempts a
        where a.item_id = item.id and a.supplier = result.supplier and a.outcome = result.outcome and a.verdict <> 'stale'
          and array(select distinct c from unnest(a.codes) as c order by c) = distinct_codes) then 'repeated'
      when item.completed_at is not null and item.supplier = result.supplier and item.status = result.outcome then 'late'
      else 'contradicting'
    end;
    if verdict in ('late', 'contradicting') then
      alert_cause := 'contradicting_result:' || result.supplier;
      alert_message := format('supplier %s says %s about item %s, which is %s at %s',
        result.supplier, result.outcome, item.id, item.status, item.supplier);
    end if;
    return;
  end if;
  -- The fencing token of a worker that lost its lease is outdated. A push has none and always counts.
  if result.lease_token is not null and result.lease_token is distinct from item.lease_token then
    verdict := 'stale';
    return;
  end if;

  delivered := case
    when item.delivery_type <> 'key' then case result.outcome when 'completed' then item.amount else 0 end
    when cardinality(distinct_codes) <> cardinality(codes) or not kept_codes <@ codes then null
    when result.outcome = 'completed' and cardinality(codes) = item.amount then item.amount
    when result.outcome = 'failed' and cardinality(codes) < item.amount then cardinality(codes)
  end;
  hold_reason := case
    when result.outcome = 'hold' then left(coalesce(result.error, 'its answer needs a look'), 500)
    when result.outcome = 'not_received' and item.recovered_at is not null
      and core.may_be_elsewhere(item.product_id, item.supplier, item.tried_suppliers)
      then format('after a restore %s does not know it; another supplier may have it', item.supplier)
    when result.outcome = 'not_received' then format('%s does not have it; sending it again is not safe', item.supplier)
    when delivered is null then format('%s with %s codes for an amount of %s', result.outcome, cardinality(codes), item.amount)
  end;
  if delivered = 0 and hold_reason is null and result.error_code = 'OUT_OF_STOCK' then
    offer := core.next_offer(item, must_serve => false);
    if offer.supplier is not null then
      update supply.order_items i set tried_suppliers = i.tried_suppliers || item.supplier where i.id = item.id;
      perform core.move_item(item, offer);
      verdict := 'next_supplier';
      return;
    end if;
  end if;

  if item.delivery_type = 'key' then
    perform core.keep_codes(item.id, codes);
  end if;
  update supply.order_items i set supplier_order_id = coalesce(result.supplier_order_id, i.supplier_order_id)
  where i.id = item.id;
  if hold_reason is null then
    perform core.settle_item(item, delivered, result.error_code, result.reason);
    verdict := 'settled';
    settled_order := item.order_id;
    return;
  end if;
  update supply.order_items i set
    held_at = coalesce(i.held_at, now()), held_reason = hold_reason,
    lease_expires_at = null, next_check_at = null, next_call = 'get'
  where i.id = item.id;
  verdict := 'held';
  alert_cause := 'item_held:' || item.supplier;
  alert_message := format('item %s at supplier %s is held for an operator: %s', item.id, item.supplier, hold_reason);
end
$$;
comment on function core.apply_result is
  'Applies one result of verdict individual: late, contradicting, a part, out of stock, wrong codes, or for an operator. Returns the
verdict, the order of an item that it settled, and what to alert operators of (null: nothing). The caller holds the locks of the
order and the item.';
