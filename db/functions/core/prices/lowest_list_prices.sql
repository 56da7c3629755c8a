create or replace view core.lowest_list_prices as
with best as materialized (
  -- Of each currency one list, because there may be hundreds of lists for tens of thousands of products.
  select distinct on (a.currency) a.currency, l.id, l.name, l.discount, l.updated_at
  from supply.accounts a join supply.price_lists l on l.id = a.list_id
  where l.discount > 0
  order by a.currency, l.discount desc, l.id
)
select distinct on (s.product_id) s.product_id, s.list, s.min_quantity, s.price, s.since
from (
  select r.product_id, l.name as list, r.min_quantity, r.price, r.updated_at as since
  from supply.list_prices r join supply.price_lists l on l.id = r.list_id
  where r.price is not null and exists (select from supply.accounts a where a.list_id = l.id)
  union all
  select p.id, b.name, 1, core.discounted(p.price, b.discount, p.currency), b.updated_at
  from supply.products p join best b on b.currency = p.currency
  where not exists (
    select from supply.list_prices r
    where r.list_id = b.id and r.product_id = p.id and r.min_quantity = 1 and r.price is not null)
) as s
order by s.product_id, s.price, s.list, s.min_quantity;
comment on view core.lowest_list_prices is
  'The lowest price of each product in the lists that accounts have: its own one there, or by the largest discount.';
comment on column core.lowest_list_prices.list is 'The name of the list.';
comment on column core.lowest_list_prices.since is 'When that price was set.';
