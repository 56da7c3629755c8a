create or replace function core.apply_result(
  result supply.call_result, out verdict text, out settled_order bigint, out alert_cause text, out alert_message text
)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  item supply.order_items := (select i from supply.order_items i where i.id = result.item_id);
  supplier constant text := result.supplier;
  outcome constant text := result.outcome;
  codes constant text[] := result.codes;
  is_final constant boolean := outcome in ('completed', 'failed') or outcome = 'hold' and cardinality(codes) > 0;
  reason text;
  offer core.active_offers;
begin
  if item.completed_at is not null or item.supplier <> supplier then
    verdict := case
      when not is_final then 'stale'
      when core.was_recorded(item.id, supplier, outcome, codes) then 'repeated'
      when item.completed_at is not null and item.supplier = supplier and item.status = outcome then 'late'
      else 'contradicting'
    end;
    if verdict in ('late', 'contradicting') then
      alert_cause := 'contradicting_result:' || supplier;
      alert_message := format('supplier %s says %s about item %s, which is %s at %s',
        supplier, outcome, item.id, item.status, item.supplier);
    end if;
    return;
  end if;

  -- The fencing token of a worker that lost its lease is outdated. A push has none and always counts.
  if result.lease_token is not null and result.lease_token is distinct from item.lease_token then
    verdict := 'stale';
    return;
  end if;

  if outcome in ('not_received', 'hold') then
    reason := case
      when outcome = 'hold' then left(coalesce(result.error, 'its answer needs a look'), 500)
      when item.recovered_at is not null and core.may_be_elsewhere(item.product_id, item.supplier, item.tried_suppliers)
        then format('after a restore %s does not know it; another supplier may have it', item.supplier)
      else format('%s does not have it; sending it again is not safe', item.supplier)
    end;
    if item.delivery_type = 'key' then
      perform core.keep_codes(item.id, codes);
    end if;
    update supply.order_items i set
      held_at = coalesce(i.held_at, now()), held_reason = reason,
      lease_expires_at = null, next_check_at = null, next_call = 'get',
      supplier_order_id = coalesce(result.supplier_order_id, i.supplier_order_id)
    where i.id = item.id;
    verdict := 'held';
    alert_cause := 'item_held:' || supplier;
    alert_message := format('item %s at supplier %s is held for an operator: %s', item.id, supplier, reason);
    return;
  end if;

  verdict := core.supplier_verdict(item, outcome, codes);
  if verdict = 'fail' and result.error_code = 'OUT_OF_STOCK' then
    select o.* into offer from core.active_offers o
    where o.product_id = item.product_id and o.supplier <> item.supplier and o.supplier <> all (item.tried_suppliers)
    order by o.place limit 1;
  end if;

  if verdict = 'hold' then
    perform core.keep_codes(item.id, codes);
    update supply.order_items i set
      held_at = coalesce(i.held_at, now()), lease_expires_at = null, next_check_at = null, next_call = 'get',
      held_reason = format('%s with %s codes for an amount of %s', outcome, cardinality(codes), item.amount)
    where i.id = item.id;
    verdict := 'held';
    alert_cause := 'item_held:' || supplier;
    alert_message := format('supplier %s says %s with %s codes for item %s of %s: held for an operator',
      supplier, outcome, cardinality(codes), item.id, item.amount);
  elsif offer.supplier is not null then
    update supply.order_items i set
      supplier = offer.supplier, sku = offer.sku, cost = offer.cost, tried_suppliers = i.tried_suppliers || item.supplier,
      next_call = case when i.recovered_at is null then 'put' else 'get' end,
      checks = 0, sent_at = null, supplier_order_id = null, stuck_at = null,
      held_at = null, held_reason = null,
      lease_token = null, lease_expires_at = null, next_check_at = now()
    where i.id = item.id;
    verdict := 'next_supplier';
  else
    if item.delivery_type = 'key' then
      perform core.keep_codes(item.id, codes);
    end if;
    update supply.order_items i set supplier_order_id = coalesce(result.supplier_order_id, i.supplier_order_id)
    where i.id = item.id;
    perform core.settle_item(item,
      delivered => case verdict when 'complete' then item.amount when 'partial' then cardinality(codes) else 0 end,
      error_code => result.error_code, reason => result.reason);
    verdict := 'settled';
    settled_order := item.order_id;
  end if;
end
$$;
comment on function core.apply_result is
  'Applies one result of verdict individual: late, contradicting, a part, out of stock, too many codes, or for an operator. Returns
the verdict, the order of an item that it settled, and what to alert operators of (null: nothing). The caller holds the locks of
the order and the item.';
