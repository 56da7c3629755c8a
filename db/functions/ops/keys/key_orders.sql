-- Roles: support, trade, finance
create or replace function ops.key_orders(key anycompatible, since timestamptz default null)
returns table (
  order_code text, created_at timestamptz, total_amount numeric, currency text, status text, client cidr
)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted_id constant bigint := core.refer_to('key', key)::bigint;
begin
  return query
  select o.code, o.created_at, o.total_amount, o.currency, o.status, o.client
  from supply.api_keys k
  join supply.orders o on o.account_id = k.account_id and o.key_id = k.id
    and o.created_at >= coalesce(key_orders.since, k.created_at)
  where k.id = wanted_id
  order by o.created_at, o.id;
end
$$;
comment on function ops.key_orders is
  'Returns the orders that an API key placed since a time (null: all), oldest first, with the network of each request:
the /24 or /48 of its address. Raises for an unknown key.';
