create or replace function core.merged_product(
  before supply.products, id int, game_id int, name text, price numeric, currency text, delivery_type text,
  delivery_fields jsonb, region text, amount_value numeric, max_quantity int, in_stock boolean
)
returns supply.products
language sql stable
return row(
  id, game_id, name, price, currency, nullif(coalesce(region, (before).region), ''), delivery_type, delivery_fields,
  nullif(coalesce(amount_value, (before).amount_value), 0), coalesce(max_quantity, (before).max_quantity, 100),
  coalesce(in_stock, (before).in_stock, true), coalesce((before).updated_at, now()), (before).min_margin,
  (before).image_url, (before).platform, (before).countries
)::supply.products;
comment on function core.merged_product is
  'Returns a product (before; null: a new one) with values that are right. Null keeps what it has, also of region and
amount_value, which '''' and 0 clear.';
