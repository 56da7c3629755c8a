create or replace function core.are_outdated(lines supply.product_line[])
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from unnest(lines) as l
    left join supply.products p on p.id = (l.product).id
    left join supply.offers o on o.product_id = p.id and o.supplier = l.supplier
    where p is distinct from l.product_before or o is distinct from l.offer_before)
$$;
comment on function core.are_outdated is
  'Returns whether a product or offer of lines of an import is no longer what core.product_lines found.';
