create or replace function core.offered_products(product_ids int[])
returns int[]
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select distinct j.product_id from core.judged_offers j
    where j.product_id = any (product_ids) and j.fault is null);
end
$$;
comment on function core.offered_products is 'Returns those of the products that have an offer that may be used.';
