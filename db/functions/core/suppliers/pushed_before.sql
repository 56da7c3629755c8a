create or replace function core.pushed_before(item_id uuid, supplier text, result jsonb)
returns bigint
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select a.id from supply.supplier_attempts a
  where a.item_id = pushed_before.item_id and a.supplier = pushed_before.supplier and a.method = 'push'
    and a.outcome = result ->> 'status'
    and a.codes = array(select jsonb_array_elements_text(coalesce(result -> 'codes', '[]')))
    and a.error_code is not distinct from left(result ->> 'errorCode', 200)
    and a.reason is not distinct from left(result ->> 'reason', 1000)
    and a.supplier_order_id is not distinct from left(result ->> 'supplierOrderId', 200)
  order by a.id desc limit 1
$$;
comment on function core.pushed_before is
  'The id of the latest attempt that recorded the same pushed result (a SupplierOutcome) of the supplier about the item; null if there is none.';
