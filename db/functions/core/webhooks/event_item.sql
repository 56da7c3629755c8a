create or replace function core.event_item(product_name text, amount int, price numeric, codes json default null)
returns json
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select case when codes is null then plain else core.add_codes(plain, codes) end
  from json_build_object('productName', product_name, 'amount', amount, 'price', price) as plain
$$;
comment on function core.event_item is
  'An item as an event shows it: the unit price in the order''s currency, and cdKeys only where codes are given. Specification 2.3.';
