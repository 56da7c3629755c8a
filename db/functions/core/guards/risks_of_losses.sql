create or replace function core.risks_of_losses(before supply.loss[], after supply.loss[])
returns supply.risk[]
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(row('below_cost', format(
    'product %s (%s) is sold at %s %s%s%s, and a unit costs %s %s at %s', n.product_id, n.name, n.price, n.currency,
    ' in price list ' || n.list, case when n.min_quantity > 1 then format(' from %s units on', n.min_quantity) end,
    n.cost, n.currency, n.supplier), n.product_id)::supply.risk
    order by n.product_id, n.list_id nulls first, n.min_quantity), '{}')
  from core.new_losses(before, after) as n
$$;
comment on function core.risks_of_losses is
  'Returns the risk below_cost of a change, from core.losses before and after it.';
