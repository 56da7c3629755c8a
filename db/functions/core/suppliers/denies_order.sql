create or replace function core.denies_order(item supply.order_items)
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select core.asks_by_repeating(item.supplier) and exists (
    select from supply.supplier_attempts a
    where a.item_id = item.id and a.supplier = item.supplier and a.outcome = 'processing'
      and a.started_at >= item.sent_at)
$$;
comment on function core.denies_order is
  'Returns whether the answer that no order could be made contradicts what the supplier said before of this order: it is
asked by sending the order again, and was processing it.';
