create or replace function core.order_json(order_id bigint, with_codes boolean)
returns json
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select o.body from core.orders_json(array[order_json.order_id], with_codes) o
$$;
comment on function core.order_json is
  'Returns an order as partners read it. with_codes: with the delivered codes. Specification 2.3.';
