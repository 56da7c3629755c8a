create or replace function core.denies_order(item supply.order_items, error_code text)
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  -- The errors of an order that was not made.
  select denies_order.error_code in ('OUT_OF_STOCK', 'DUPLICATE_ORDER') and core.asks_by_repeating(item.supplier)
    and exists (
      select from supply.supplier_attempts a
      where a.item_id = item.id and a.supplier = item.supplier and a.outcome = 'processing'
        and a.started_at >= item.sent_at)
$$;
comment on function core.denies_order is
  'Returns whether the error of a repeated order says that no order was made, and so contradicts what the supplier said
before: it is asked by sending the order again, and was processing it.';
