create or replace function core.changes_of_lines(lines supply.product_line[])
returns table (product_id int, product supply.products, offer supply.offers)
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select (l.product).id, l.product, l.offer
  from unnest(lines) as l
  where l.fault is null and (l.product is distinct from l.product_before
    or (l.offer).supplier is not null and l.offer is distinct from l.offer_before)
$$;
comment on function core.changes_of_lines is
  'Returns the products that right lines of an import change or create, or whose offer they do, as they would be.';
