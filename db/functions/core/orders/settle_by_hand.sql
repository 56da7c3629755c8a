create or replace function core.settle_by_hand(item supply.order_items, outcome text, codes text[], reason text)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  kept constant text[] := core.codes_to_deliver(item, outcome, codes);
  settled supply.call_result;
begin
  delete from supply.item_keys k where k.item_id = item.id and k.code <> all (kept);
  settled.item_id := item.id;
  settled.verdict := 'settled';
  settled.delivered := case
    when item.delivery_type = 'key' then cardinality(kept)
    when outcome = 'completed' then item.amount
    else 0
  end;
  settled.codes := kept;
  settled.reason := settle_by_hand.reason;
  perform core.settle_items(array[settled]);
  insert into supply.supplier_attempts (item_id, supplier, method, finished_at, outcome, verdict, reason, codes)
  values (item.id, item.supplier, 'operator', now(), settle_by_hand.outcome, 'settled', settle_by_hand.reason, kept);
  perform core.finish_orders(array[item.order_id]);
end
$$;
comment on function core.settle_by_hand is
  'Settles an item as an operator decided: with the codes that it has and those given (core.codes_to_deliver). The
caller has locked the item and its order, and has checked the codes.';
