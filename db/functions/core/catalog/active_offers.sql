create or replace view core.active_offers as
select o.product_id, o.supplier, o.sku,
  row_number() over (partition by o.product_id order by o.priority, o.cost nulls last, o.supplier) as place,
  o.cost
from supply.offers o join supply.suppliers s on s.code = o.supplier
where s.active;
comment on view core.active_offers is 'The offers of active suppliers, best first: by priority, then by cost.';
comment on column core.active_offers.place is 'The place among the offers of the product, from 1.';
