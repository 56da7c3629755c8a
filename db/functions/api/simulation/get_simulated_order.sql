create or replace function api.get_simulated_order(account_id bigint, code text)
returns json
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select core.add_member(core.simulated_order_json(o), 'deliveries',
    coalesce(core.simulated_deliveries(o.account_id, core.event_id(o.code)), 'null'))
  from supply.simulated_orders o
  where o.code = get_simulated_order.code and o.account_id = get_simulated_order.account_id
$$;
comment on function api.get_simulated_order is
  'Returns a simulated order of the account with the delivery of its event; null: it has none with this code.';
