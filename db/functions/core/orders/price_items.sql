create or replace function core.price_items(requests supply.order_request[])
returns setof supply.priced_item
language plpgsql stable rows 10 set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  with priced as (
    select r.ordinality::int as ordinal, i.*, p.*, coalesce((
        select l.price from supply.list_prices l
        -- guard: an account pays the prices of its own list
        where l.list_id = a.list_id and l.product_id = p.id and l.min_quantity <= i.quantity and l.price is not null
        order by l.min_quantity desc limit 1
      ), core.discounted(p.list_price, a.discount, a.currency)) as unit_price
    from unnest(requests) with ordinality as r
    cross join lateral (
      select a.currency, a.list_id, l.discount
      from supply.accounts a left join supply.price_lists l on l.id = a.list_id where a.id = r.account_id offset 0) as a
    cross join lateral unnest(r.items) with ordinality as i (product_id, quantity, delivery_data, max_price, place)
    left join lateral (
      select p.id, p.name, p.delivery_type, p.delivery_fields, p.in_stock, p.max_quantity, p.price as list_price
      from supply.products p where p.id = i.product_id and p.currency = a.currency offset 0) as p on true
    offset 0
  ), offered as (
    -- Items that are alike share a look at the offers.
    select p.*, format('items[%s]', p.place - 1) as path,
      (array_agg(best.offer) filter (where p.copy = 1) over (partition by p.id, p.quantity, p.unit_price))[1] as offer
    from (select p.*, row_number() over (partition by p.id, p.quantity, p.unit_price) as copy from priced p) as p
    left join lateral (
      select o as offer from core.active_offers o
      -- guard: an item does not use an offer that leaves too little of its price
      where p.copy = 1 and o.product_id = p.id and o.min_price <= p.unit_price
        and (not o.is_own or core.free_codes(o.supplier, o.sku, p.quantity) = p.quantity)
      order by o.place limit 1) as best on true
  )
  select p.ordinal, p.place, p.product_id, p.quantity, p.delivery_data, p.name, p.delivery_type, p.unit_price,
    p.in_stock and o.supplier is not null, o.supplier, o.sku, o.cost, o.supplier_cost, o.supplier_currency, o.rate, case
      when p.id is null then array[
        row('PRODUCT_NOT_FOUND', p.path || '.productId', 'no such product', null)::supply.order_fault]
      when data.faults <> '{}' then data.faults
      when not p.in_stock or o.supplier is null then array[
        row('PRODUCT_UNAVAILABLE', p.path || '.productId', 'the product is out of stock', null)::supply.order_fault]
      when p.quantity > p.max_quantity then array[
        row('QUANTITY_OUT_OF_RANGE', p.path || '.quantity', 'must be from 1 to ' || p.max_quantity, null)
          ::supply.order_fault]
      when p.unit_price > p.max_price then array[
        row('PRICE_CHANGED', p.path || '.maxPrice', 'the price is now ' || p.unit_price, p.unit_price)
          ::supply.order_fault]
    end
  from offered p
  cross join lateral (select (p.offer).*) as o
  cross join lateral (
    select case when p.delivery_fields <> '[]' then
      core.delivery_data_faults(p.delivery_fields, p.delivery_data, p.path || '.deliveryData') end as faults) as data;
end
$$;
comment on function core.price_items is
  'Returns the items of order requests with their products, the prices that their accounts pay, the best offers that
these prices allow, and the first check that each fails; ordinal: the place of the request. A product in another
currency than the account''s is not found. Specification 4.';
