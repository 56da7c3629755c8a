create or replace function api.get_order(account_id bigint, code text)
returns json
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select core.add_member(o.body, 'deliveries', coalesce((
    select core.event_deliveries(e.id) from supply.events e where e.order_id = o.order_id), 'null'))
  from core.orders_json(array[core.own_order(get_order.account_id, get_order.code)], true) o
$$;
comment on function api.get_order is
  'Returns an order of the account with its codes and the delivery of its event; null: it has no order with this code.
Specification 4.';
