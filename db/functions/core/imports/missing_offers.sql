create or replace function core.missing_offers(supplier text, lines supply.product_line[])
returns supply.offers[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  -- A wrong line has its offer, too.
  with listed as materialized (
    select (l.product_before).id as product_id, l.sku from unnest(lines) as l
    where l.supplier = missing_offers.supplier
  )
  select array(
    select jsonb_populate_record(o, '{"available": false}')
    from supply.offers o
    where o.supplier = missing_offers.supplier and o.available
      and o.product_id not in (select l.product_id from listed l where l.product_id is not null)
      and o.sku not in (select l.sku from listed l where l.sku is not null))
$$;
comment on function core.missing_offers is
  'Returns the available offers of a supplier (null: none) that lines of an import lack, as they are once unavailable.';
