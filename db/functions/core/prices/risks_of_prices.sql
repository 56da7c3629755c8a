create or replace function core.risks_of_prices(before supply.listed_price[], after supply.listed_price[])
returns supply.risk[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(row('below_cost', format('product %s (%s) is sold at %s %s%s, and a unit costs %s %s at %s',
    p.id, p.name, a.price, p.currency,
    case when a.min_quantity > 1 then format(' from %s units on', a.min_quantity) end,
    taken.cost, p.currency, taken.supplier), p.id)::supply.risk order by p.id, a.min_quantity), '{}')
  from (select n.* from unnest(after) as n except select o.* from unnest(before) as o) as a
  join supply.products p on p.id = a.product_id
  cross join lateral (
    -- Where a rule for margins leaves none at this price, the best one counts.
    select o.supplier, o.cost from core.active_offers o
    where o.product_id = a.product_id order by o.min_price <= a.price desc, o.place limit 1) as taken
  where a.price < taken.cost
$$;
comment on function core.risks_of_prices is
  'Returns the risk below_cost of a change of partners'' prices, from core.prices_of_list before and after it: prices
that changed and are below the cost of the offer that an order takes.';
