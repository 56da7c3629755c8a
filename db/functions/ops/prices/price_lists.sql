create or replace view ops.price_lists as
select l.id as list_id, l.name, trim_scale(l.discount) as discount,
  (select count(*)::int from supply.accounts a where a.list_id = l.id) as accounts,
  coalesce(own.products, 0) as products,
  greatest(l.updated_at, own.updated_at) as updated_at
from supply.price_lists l
left join lateral (
  select count(distinct p.product_id) filter (where p.price is not null)::int as products,
    max(p.updated_at) as updated_at
  from supply.list_prices p where p.list_id = l.id) as own on true;
comment on view ops.price_lists is 'The price lists of partners. ops.prices shows what a partner pays.';
comment on column ops.price_lists.list_id is 'The list''s number.';
comment on column ops.price_lists.discount is
  'The part taken off the prices of products without a price of their own in the list; 0.05 is 5 per cent.';
comment on column ops.price_lists.accounts is 'The number of accounts that have it.';
comment on column ops.price_lists.products is 'The number of products that have a price of their own in it.';
comment on column ops.price_lists.updated_at is 'When its discount or one of its prices last changed.';
