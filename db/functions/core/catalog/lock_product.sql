create or replace function core.lock_product(reference anycompatible)
returns supply.products
language sql set search_path = pg_catalog, pg_temp
as $$
  select core.end_when_idle();
  select p.* from supply.products p
  where p.id = core.refer_to('product', reference)::int for no key update
$$;
comment on function core.lock_product is
  'Returns the product that a reference means (core.refer_to), locked until the transaction ends.';
