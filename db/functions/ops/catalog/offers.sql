create or replace view ops.offers as
select
  o.product_id,
  o.supplier,
  o.sku,
  o.cost,
  o.priority,
  s.active as usable
from supply.offers o
join supply.suppliers s on s.code = o.supplier;
comment on view ops.offers is
  'Which supplier delivers which product. The smallest priority number is asked first, among equals the cheapest.';
comment on column ops.offers.usable is 'Whether the supplier is active.';
