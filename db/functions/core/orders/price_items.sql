create or replace function core.price_items(requests supply.order_request[])
returns setof supply.priced_item
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  with asked as materialized (
    select r.ordinal, i.*, format('items[%s]', i.place - 1) as path, a.currency
    from unnest(requests) as r
    cross join lateral (select a.currency from supply.accounts a where a.id = r.account_id offset 0) as a
    cross join lateral unnest(r.items) with ordinality as i (product_id, quantity, delivery_data, max_price, place)
  ), product as materialized (
    select p.*, offer.supplier, offer.sku, offer.cost, p.in_stock and offer.supplier is not null as available
    from supply.products p
    left join lateral (
      select o.* from core.active_offers o where o.product_id = p.id and o.place = 1 offset 0) as offer on true
    where p.id = any (array(select distinct a.product_id from asked a))
  )
  select a.ordinal, a.place, a.product_id, a.quantity, a.delivery_data, p.name, p.delivery_type, p.price, p.available,
    p.supplier, p.sku, p.cost, case
      when p.id is null then array[
        row('PRODUCT_NOT_FOUND', a.path || '.productId', 'no such product', null)::supply.order_fault]
      when data.faults <> '{}' then data.faults
      when not p.available then array[
        row('PRODUCT_UNAVAILABLE', a.path || '.productId', 'the product is out of stock', null)::supply.order_fault]
      when a.quantity > p.max_quantity then array[
        row('QUANTITY_OUT_OF_RANGE', a.path || '.quantity', 'must be from 1 to ' || p.max_quantity, null)
          ::supply.order_fault]
      when p.price > a.max_price then array[
        row('PRICE_CHANGED', a.path || '.maxPrice', 'the price is now ' || p.price, p.price)::supply.order_fault]
    end
  from asked a
  left join product p on p.id = a.product_id and p.currency = a.currency
  cross join lateral (
    select case when p.delivery_fields <> '[]' then
      core.delivery_data_faults(p.delivery_fields, a.delivery_data, a.path || '.deliveryData') end as faults) as data;
end
$$;
comment on function core.price_items is
  'Returns the items of order requests with their products, prices, best offers, and the first check that each fails.
A product in another currency than the account''s is not found. Specification 4.';
