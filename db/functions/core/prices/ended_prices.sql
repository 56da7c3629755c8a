create or replace function core.ended_prices(products supply.products[])
returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select format('with the old currency, %s prices of lists end: ', count(*))
    || string_agg(e.price, ', ' order by e.place) filter (where e.place <= 10)
    || case when count(*) > 10 then ' and more: ops.operator_log has all' else '' end
  from (
    select format('%s %s of product %s in %s%s', p.price, before.currency, before.id, l.name,
        case when p.min_quantity > 1 then format(' from %s units on', p.min_quantity) end) as price,
      row_number() over (order by before.id, l.id, p.min_quantity) as place
    from unnest(products) as after
    join supply.products before on before.id = after.id
    join supply.list_prices p on p.product_id = before.id
    join supply.price_lists l on l.id = p.list_id
    where before.currency <> after.currency and p.price is not null) as e
  having count(*) > 0
$$;
comment on function core.ended_prices is
  'Returns which prices in lists end when products are written that have another currency, for a NOTICE; null: none.
Called before core.write_products.';
