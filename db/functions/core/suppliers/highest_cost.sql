create or replace function core.highest_cost(offer supply.offers, product supply.products, price numeric)
returns numeric
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select least(offer.cost, offer.max_cost, case when m.min_margin is not null then
    -- To some suppliers a cost of zero is no limit at all.
    greatest(floor(floor((1 - m.min_margin) * price * 100) / coalesce(
      (select r.rate from supply.rates r
        where r.from_currency = offer.currency and r.to_currency = product.currency), 1)) / 100,
      0.01)::numeric(14, 2) end)
  from (select coalesce(product.min_margin, (select r.min_margin from supply.offer_rules r)) as min_margin) as m
$$;
comment on function core.highest_cost is
  'Returns the most that a unit of an item sold at this price may cost at the supplier, in the offer''s currency: by
the offer''s cost and max_cost, and by the least margin.';
