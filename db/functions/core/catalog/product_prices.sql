create or replace view core.product_prices as
select p.id as product_id, p.price from supply.products p
union all
select r.product_id, r.price from supply.list_prices r where r.price is not null
union all
select p.id, core.discounted(p.price, l.discount, p.currency)
from supply.products p cross join supply.price_lists l where l.discount > 0;
comment on view core.product_prices is 'All prices at which partners may be sold a product, also those of other lists.';
