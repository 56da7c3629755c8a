create or replace view core.judged_offers as
select o.product_id, o.supplier, o.sku, o.priority, terms.cost, coalesce(p.min_margin, rule.min_margin) as min_margin,
  r.rate, r.valid_until,
  case when s.protocol = 'stock' and terms.fault is distinct from 'inactive' and (
      -- An `exists` may be planned as one list of all free codes.
      select true from supply.stock_codes c
      where c.supplier = o.supplier and c.sku = o.sku and core.is_sellable(c) limit 1) is null
    then 'stock' else terms.fault end as fault,
  terms.min_price, terms.is_passed_over, o.cost as supplier_cost,
  coalesce(o.currency, p.currency) as supplier_currency,
  case when s.protocol = 'stock' then (
    select count(*)::int from (
      select from supply.stock_codes c
      where c.supplier = o.supplier and c.sku = o.sku and core.is_sellable(c) limit 100) as free)
    else o.stock end as stock,
  s.protocol = 'stock' as is_own
from supply.offers o
join supply.suppliers s on s.code = o.supplier
join supply.products p on p.id = o.product_id
left join supply.rates r on r.from_currency = o.currency and r.to_currency = p.currency
left join supply.offer_rules rule on true
cross join lateral core.offer_terms(o, p, s, r, coalesce(p.min_margin, rule.min_margin)) as terms;
comment on view core.judged_offers is
  'All offers, with their cost in the product''s currency, why new items may not use them, and at which prices they
may.';
comment on column core.judged_offers.cost is
  'The cost of one unit in the product''s currency, rounded up to the cent; null: not known, or there is no rate.';
comment on column core.judged_offers.min_margin is
  'The part of the price that must remain, by the rule of the product or of all products; null: there is no rule.';
comment on column core.judged_offers.supplier_cost is
  'The cost of one unit in supplier_currency, as the supplier charges it; null: not known.';
comment on column core.judged_offers.rate is
  'The rate that converts its cost, valid or not; null: there is no rate, or none is needed.';
comment on column core.judged_offers.valid_until is 'When that rate ends.';
comment on column core.judged_offers.fault is
  'Why new items do not use it: inactive (its supplier), problem (its supplier''s list makes no sense), delivery type (a
stock sells keys alone), stock, rate missing, rate expired, cost unknown (and a rule needs it), cost (above max_cost, or
too high). Null: those that pay min_price may.';
comment on column core.judged_offers.min_price is
  'The lowest unit price that leaves the margin: an item that is sold for less does not use the offer.';
comment on column core.judged_offers.is_passed_over is
  'Whether new items use another supplier if one can serve: this one is paused, or its circuit is open.';
comment on column core.judged_offers.is_own is 'Whether it is our own stock (core.free_codes).';
