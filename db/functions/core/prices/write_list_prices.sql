create or replace function core.write_list_prices(prices supply.list_prices[], action text)
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  with pair as materialized (
    select after, before.price as before, l.name
    from unnest(prices) as after
    join supply.price_lists l on l.id = after.list_id
    left join supply.list_prices before on before.list_id = after.list_id
      and before.product_id = after.product_id and before.min_quantity = after.min_quantity
  ), logged as (
    insert into supply.operator_log (action, subject, detail)
    select write_list_prices.action, format('product %s in price list %s', (c.after).product_id, c.name),
      jsonb_build_object('price', (c.after).price, 'min_quantity', (c.after).min_quantity, 'before', c.before)
    from pair c order by (c.after).list_id, (c.after).product_id, (c.after).min_quantity
  )
  insert into supply.list_prices as l (list_id, product_id, min_quantity, price)
  select (c.after).list_id, (c.after).product_id, (c.after).min_quantity, (c.after).price
  from pair c order by (c.after).list_id, (c.after).product_id, (c.after).min_quantity
  on conflict on constraint list_prices_pkey do update set price = excluded.price
$$;
comment on function core.write_list_prices is
  'Writes prices of lists that differ from those that stand there (price null: removed), and logs each as the action,
with the price before. The caller has locked the products.';
