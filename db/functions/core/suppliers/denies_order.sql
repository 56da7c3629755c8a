create or replace function core.denies_order(item_id uuid, supplier text, sent_at timestamptz, error_code text)
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  -- The errors of an order that was not made.
  select denies_order.error_code in ('OUT_OF_STOCK', 'DUPLICATE_ORDER')
    and core.asks_by_repeating(denies_order.supplier) and exists (
      select from supply.supplier_attempts a
      where a.item_id = denies_order.item_id and a.supplier = denies_order.supplier and a.outcome = 'processing'
        and a.started_at >= denies_order.sent_at)
$$;
comment on function core.denies_order is
  'Returns whether the error of a repeated order says that no order was made, and so contradicts what the supplier said
before: it is asked by sending the order again, and was processing it.';
