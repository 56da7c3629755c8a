create or replace view bi.offers as
select o.product_id, o.supplier, o.sku, o.cost, coalesce(o.currency, p.currency) as currency, o.priority, o.available,
  o.stock, o.synced_at
from supply.offers o join supply.products p on p.id = o.product_id;
comment on view bi.offers is 'Which supplier delivers which product, with its present cost.';
comment on column bi.offers.currency is 'The currency of the cost.';
