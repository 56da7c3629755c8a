create or replace function core.event_item(product_name text, amount int, price numeric, cd_keys json default null)
returns json
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select case when cd_keys is null then
    json_build_object('productName', product_name, 'amount', amount, 'price', price)
  else
    json_build_object('productName', product_name, 'amount', amount, 'price', price, 'cdKeys', cd_keys)
  end
$$;
comment on function core.event_item is
  'An item as an event shows it: the unit price in the order''s currency, and [{code}] for an item of keys alone. Specification 2.3.';
