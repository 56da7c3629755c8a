create or replace function core.pushed_before(result supply.call_result)
returns bigint
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select a.id from supply.supplier_attempts a
  where a.item_id = result.item_id and a.supplier = result.supplier and a.method = 'push'
    and a.outcome = result.outcome
    and a.codes = result.codes
    and a.error_code is not distinct from left(result.error_code, 200)
    and a.reason is not distinct from left(result.reason, 1000)
    and a.supplier_order_id is not distinct from left(result.supplier_order_id, 200)
  order by a.id desc limit 1
$$;
comment on function core.pushed_before is
  'The id of the latest attempt that recorded the same result of the supplier about the item by a push; null if there is none.';
