create or replace function core.risks_of_offers(offers supply.offers[])
returns supply.risk[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(row('large_change', format('product %s at %s: cost %s', after.product_id, after.supplier,
    core.change_in_words(before.cost, after.cost, unit.after)), after.product_id)::supply.risk
    order by after.product_id, after.supplier), '{}')
  from unnest(offers) as after
  join supply.offers before on before.product_id = after.product_id and before.supplier = after.supplier
  join supply.products p on p.id = after.product_id
  cross join lateral (
    select coalesce(before.currency, p.currency) as before, coalesce(after.currency, p.currency) as after) as unit
  where unit.before = unit.after and core.is_large_change(before.cost, after.cost)
$$;
comment on function core.risks_of_offers is
  'Returns the risk large_change of the costs of offers as they would be, against those that stand in the table. A new
offer, a first cost, and a cost in another currency have none.';
