create or replace view core.partner_products as
select a.id as account_id, p.id as product_id, p.game_id, p as product,
  coalesce(own.price, core.discounted(p.price, l.discount, p.currency)) as price,
  case when own.price is not null then 'list' when l.discount > 0 then 'discount' else 'product' end as source,
  own.tiers, greatest(p.updated_at, a.list_set_at, l.updated_at, own.updated_at) as updated_at
from supply.accounts a
join supply.products p on p.currency = a.currency
left join supply.price_lists l on l.id = a.list_id
left join lateral (
  select min(r.price) filter (where r.min_quantity = 1) as price,
    array_agg(row(r.min_quantity, r.price)::supply.price_tier order by r.min_quantity)
      filter (where r.min_quantity between 2 and p.max_quantity and r.price is not null) as tiers,
    max(r.updated_at) as updated_at
  from supply.list_prices r where r.list_id = a.list_id and r.product_id = p.id) as own on true;
comment on view core.partner_products is
  'The products that each account can see, with what it pays. Read it for one account.';
comment on column core.partner_products.price is 'The price of one unit.';
comment on column core.partner_products.source is
  'Whence that is: a price of its list, the discount of its list, or the product.';
comment on column core.partner_products.tiers is
  'The prices of its list for two units or more that one item may have, ascending; null: none.';
comment on column core.partner_products.updated_at is
  'When the product, its availability or a price of it last changed.';
