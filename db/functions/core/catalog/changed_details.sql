create or replace function core.changed_details(
  product supply.products, image_url text, platform text, countries text[], subject text default ''
)
returns supply.products
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  fault constant text := core.fault_of_details(image_url, platform, countries);
begin
  perform core.require(fault is null, subject || fault);
  return core.merged_details(product, image_url, platform, countries);
end
$$;
comment on function core.changed_details is
  'Returns a product with the details given, by the rules of ops.set_product_details. Raises, with the subject in front,
for the first wrong value.';
