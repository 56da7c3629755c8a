create or replace function core.current_sales(product_ids int[])
returns supply.sale[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select array_agg(row(p.id, p.name, p.price, p.currency, o.supplier, o.cost)::supply.sale order by p.id)
  from supply.products p
  left join (
    select distinct on (a.product_id) a.product_id, a.supplier, a.cost
    from core.active_offers a join supply.products p on p.id = a.product_id and p.price >= a.min_price
    where a.product_id = any (current_sales.product_ids) order by a.product_id, a.place) as o on o.product_id = p.id
  where p.id = any (current_sales.product_ids)
$$;
comment on function core.current_sales is
  'Returns what an order of one unit of each product would pay and cost now, for core.risks_of_sales.';
