create or replace function core.current_sales(product_ids int[])
returns supply.sale[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select array_agg(row(p.id, p.name, p.price, p.currency, o.supplier, o.cost)::supply.sale order by p.id)
  from supply.products p
  left join core.active_offers o
    on o.product_id = p.id and o.place = 1 and o.product_id = any (current_sales.product_ids)
  where p.id = any (current_sales.product_ids)
$$;
comment on function core.current_sales is
  'Returns what an order of one unit of each product would pay and cost now, for core.risks_of_sales.';
