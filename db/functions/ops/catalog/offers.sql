create or replace view ops.offers as
select o.product_id, o.supplier, o.sku, o.cost, o.priority, j.fault is null and j.min_price <= p.price as usable,
  coalesce(o.currency, p.currency) as currency,
  case when j.cost < 1000000000000 then j.cost end::numeric(14, 2) as product_cost, p.price,
  p.currency as product_currency,
  case when p.price > 0 then round(floor((p.price - j.cost) / p.price * 10000) / 10000, 4) end as margin, j.min_margin,
  o.max_cost, o.stock, o.available, o.synced_at,
  coalesce(case j.fault
    when 'inactive' then 'supplier inactive'
    when 'problem' then o.problem
    when 'delivery type' then 'our own codes are sold as type key only'
    when 'stock' then case when j.is_own then 'no free codes' when o.stock = 0 then 'out of stock'
      else 'not in the supplier''s list' end
    when 'rate missing' then format('no rate from %s to %s', o.currency, p.currency)
    when 'rate expired' then format('the rate from %s to %s expired', o.currency, p.currency)
    when 'cost unknown' then 'cost not known'
    when 'cost' then case when o.cost > o.max_cost then 'above max_cost' else 'cost too high' end
  end, case when j.min_price > p.price then format('margin below %s', trim_scale(j.min_margin)) end) as unusable,
  o.recipient
from supply.offers o
join supply.products p on p.id = o.product_id
join core.judged_offers j on j.product_id = o.product_id and j.supplier = o.supplier;
comment on view ops.offers is
  'The suppliers'' offers of products. The offer with the smallest priority number is used first, among equals the
cheapest.';
comment on column ops.offers.cost is 'The cost of one unit, in currency; null: not known.';
comment on column ops.offers.usable is 'Whether new items may use it.';
comment on column ops.offers.currency is 'The currency of cost and max_cost.';
comment on column ops.offers.product_cost is
  'The cost in product_currency, rounded up to the cent, by the last rate even if that expired; null: not known, too
large, or there is no rate.';
comment on column ops.offers.product_currency is 'The currency of the product.';
comment on column ops.offers.margin is
  'The part of the price that remains after the cost, rounded down; 0.05 is 5 per cent.';
comment on column ops.offers.unusable is 'Why new items do not use it; null: they may.';
