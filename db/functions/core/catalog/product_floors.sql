create or replace function core.product_floors(product_ids int[])
returns supply.product_floor[]
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return array(
    select row(j.product_id, min(j.min_price))::supply.product_floor from core.judged_offers j
    where j.product_id = any (product_ids) and j.fault is null group by j.product_id);
end
$$;
comment on function core.product_floors is
  'Returns those of the products that have an offer that may be used, with the lowest price at which one may.';
