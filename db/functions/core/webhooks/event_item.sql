create or replace function core.event_item(product_name text, amount int, price numeric, codes json default null)
returns json
language sql stable
-- The item stands here twice: with a FROM, this could not be inlined.
return coalesce(
  core.add_member(json_build_object('productName', product_name, 'amount', amount, 'price', price), 'cdKeys', codes),
  json_build_object('productName', product_name, 'amount', amount, 'price', price));
comment on function core.event_item is
  'Returns an item as an event shows it: the unit price in the currency of the order, and cdKeys only where codes are
given. Specification 2.3.';
