create or replace function core.lock_product(reference anycompatible)
returns supply.products
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  product supply.products;
begin
  select p.* into strict product from supply.products p
  where p.id = core.refer_to('product', reference)::int for no key update;
  return product;
end
$$;
comment on function core.lock_product is
  'Returns the product that a reference means (core.refer_to), locked until the transaction ends.';
