create or replace function core.prices_of_list(list_id int, product_id int, currency text)
returns supply.listed_price[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select array_agg(row(p.id, q.min_quantity, q.price)::supply.listed_price)
  from supply.products p
  left join supply.price_lists l on l.id = prices_of_list.list_id
  cross join lateral (
    select 1 as min_quantity, coalesce((
      select r.price from supply.list_prices r
      where r.list_id = l.id and r.product_id = p.id and r.min_quantity = 1
    ), core.discounted(p.price, l.discount, p.currency)) as price
    union all
    select r.min_quantity, r.price from supply.list_prices r
    where r.list_id = l.id and r.product_id = p.id and r.min_quantity between 2 and p.max_quantity
      and r.price is not null
  ) as q
  where p.id = coalesce(prices_of_list.product_id, p.id) and p.currency = coalesce(prices_of_list.currency, p.currency)
$$;
comment on function core.prices_of_list is
  'Returns the prices that a list (null: none) makes of one product or all, in one currency or all, for
core.risks_of_prices.';
