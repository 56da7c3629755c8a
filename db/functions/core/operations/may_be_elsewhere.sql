create or replace function core.may_be_elsewhere(product_id int, supplier text, tried_suppliers text[])
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from supply.offers o
    where o.product_id = may_be_elsewhere.product_id and o.supplier <> may_be_elsewhere.supplier
      and o.supplier <> all (may_be_elsewhere.tried_suppliers))
$$;
comment on function core.may_be_elsewhere is
  'Returns whether another supplier may have an item: a restored database may have lost a move.';
