create or replace function core.merged_details(
  product supply.products, image_url text, platform text, countries text[]
)
returns supply.products
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  product.image_url := nullif(coalesce(image_url, product.image_url), '');
  product.platform := nullif(coalesce(platform, product.platform), '');
  product.countries := nullif(coalesce(countries, product.countries), '{}');
  return product;
end
$$;
comment on function core.merged_details is
  'Returns a product with details that are right. Null keeps what it has; an empty text and {} clear.';
