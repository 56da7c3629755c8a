create or replace view core.active_offers as
select o.product_id, o.supplier, o.sku,
  row_number() over (
    partition by o.product_id order by o.is_passed_over, o.priority, o.cost nulls last, o.supplier) as place,
  o.cost::numeric(14, 2) as cost, o.is_passed_over, o.min_price, o.supplier_cost, o.supplier_currency,
  coalesce(o.rate, 1) as rate, o.is_own
from core.judged_offers o
where o.fault is null;
comment on view core.active_offers is
  'The offers that items sold for at least min_price may use (core.judged_offers), best first: by priority, then by
cost. Offers of suppliers that are paused or whose circuit is open come last.';
comment on column core.active_offers.place is 'The place among the offers of the product, from 1.';
comment on column core.active_offers.cost is 'The cost of one unit in the product''s currency; null: not known.';
comment on column core.active_offers.is_passed_over is
  'Whether new items use another supplier if one can serve: this one is paused, or its circuit is open.';
comment on column core.active_offers.min_price is 'The lowest unit price that leaves the margin.';
comment on column core.active_offers.rate is
  'What one unit of supplier_currency is in the product''s currency; 1 where both are the same.';
comment on column core.active_offers.is_own is
  'Whether it is our own stock: it may have fewer codes than an item needs.';
