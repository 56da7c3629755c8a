create or replace function core.lock_product(product_id int)
returns supply.products
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  product supply.products;
begin
  select p.* into product from supply.products p where p.id = lock_product.product_id for no key update;
  perform core.require(found, format('there is no product %s', coalesce(product_id::text, 'null')), 'no_data_found',
    'ops.products lists the products.');
  return product;
end
$$;
comment on function core.lock_product is 'The product, locked until the transaction ends. Raises no_data_found if there is none.';
