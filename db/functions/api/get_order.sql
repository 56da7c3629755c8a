create or replace function api.get_order(account_id bigint, code text)
returns json
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select core.add_deliveries(core.order_json(o.id, true), (
    select core.event_deliveries(e.id) from supply.events e where e.order_id = o.id))
  from core.own_order(get_order.account_id, get_order.code) as o (id) where o.id is not null
$$;
comment on function api.get_order is
  'Returns an order of the account with its codes and the delivery of its event; null: it has no order with this code.
Specification 4.';
