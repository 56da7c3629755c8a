create or replace function core.product_json(product supply.products, is_offered boolean)
returns json
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select json_build_object(
    'id', product.id,
    'gameSlug', (select g.slug from supply.games g where g.id = product.game_id),
    'name', product.name,
    'slug', coalesce(
      nullif(trim(both '-' from regexp_replace(lower(product.name), '[^a-z0-9]+', '-', 'g')), ''),
      'product-' || product.id),
    'wholesalePrice', product.price,
    'currency', product.currency,
    'region', product.region,
    'countries', product.countries,
    'platform', product.platform,
    'imageUrl', product.image_url,
    'deliveryType', product.delivery_type,
    'amountType', case when product.amount_value is not null then
      json_build_object('type', 'fixed', 'value', trim_scale(product.amount_value)) end,
    'inStock', product.in_stock and is_offered,
    'minQuantity', 1,
    'maxQuantity', product.max_quantity,
    'deliveryDataSchema', product.delivery_fields,
    'updatedAt', core.iso(product.updated_at))
$$;
comment on function core.product_json is
  'Returns a product as partners read it; wholesalePrice in the product''s currency. is_offered:
whether it has an offer that may be used.';
