create or replace function core.risks_of_sales(before supply.sale[], after supply.sale[])
returns supply.risk[]
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(row('below_cost', format('product %s (%s) is sold at %s %s, and a unit costs %s %s at %s',
    a.product_id, a.name, a.price, a.currency, taken.cost, a.currency, taken.supplier), a.product_id)::supply.risk
    order by a.product_id), '{}')
  from unnest(after) as a
  left join unnest(before) as b on b.product_id = a.product_id
  -- Where the change leaves no usable offer, by a rule for margins, the one that an order takes until then counts.
  cross join lateral (
    select coalesce(a.cost, b.cost) as cost, case when a.cost is null then b.supplier else a.supplier end as supplier
    where a.cost is not null or a.supplier is null and a.currency = b.currency
  ) as taken
  where a.price < taken.cost
    and ((a.price, a.currency) is distinct from (b.price, b.currency) or coalesce(a.cost > b.cost, b.cost is null))
$$;
comment on function core.risks_of_sales is
  'Returns the risk below_cost of a change of prices, offers or rates, from core.current_sales before and after it:
products whose price changed, or whose cost rose, and whose price is below the cost of the offer that an order takes.';
