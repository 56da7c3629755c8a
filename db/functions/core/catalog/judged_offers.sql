create or replace view core.judged_offers as
select o.product_id, o.supplier, o.sku, o.priority, s.paused_at, s.open_since, s.trial_at,
  terms.cost, terms.min_margin, r.rate, r.valid_until,
  case
    when not s.active then 'inactive'
    when o.problem is not null then 'problem'
    when not o.available then 'stock'
    when terms.is_foreign and r.valid_until is null then 'rate missing'
    when terms.is_foreign and r.valid_until <= now() then 'rate expired'
    when o.cost is null then case when coalesce(o.max_cost, terms.min_margin) is not null then 'cost unknown' end
    when o.cost > o.max_cost or terms.cost > 99999999999.99 then 'cost'
  end as fault,
  case
    when terms.min_margin is null or coalesce(terms.cost, 0) = 0 then 0
    when terms.min_margin = 1 then 'infinity'
    -- Rounded up to the cent, without the inexact quotient: (1 - min_margin) * 10000 is a whole number.
    else div(terms.cost * 1000000 + (1 - terms.min_margin) * 10000 - 1, (1 - terms.min_margin) * 10000) * 0.01
  end as min_price, o.cost as supplier_cost, coalesce(o.currency, p.currency) as supplier_currency
from supply.offers o
join supply.suppliers s on s.code = o.supplier
join supply.products p on p.id = o.product_id
left join supply.rates r on r.from_currency = o.currency and r.to_currency = p.currency
cross join lateral (
  select o.currency <> p.currency as is_foreign,
    -- Rounded up, so that the cost is never too low.
    case when o.currency <> p.currency then ceil(o.cost * r.rate * 100) / 100 else o.cost end as cost,
    coalesce(p.min_margin, (select rule.min_margin from supply.offer_rules rule)) as min_margin
) as terms;
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
  'Why new items do not use it: inactive (its supplier), problem (its supplier''s list makes no sense), stock, rate
missing, rate expired, cost unknown (and a rule needs it), cost (above max_cost, or too high). Null: those that pay
min_price may.';
comment on column core.judged_offers.min_price is
  'The lowest unit price that leaves the margin: an item that is sold for less does not use the offer.';
