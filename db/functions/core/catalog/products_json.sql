create or replace function core.products_json(products core.partner_products[])
returns json
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  -- A variable: of a subquery the planner would expect ten products.
  product_ids constant int[] := array(select p.product_id from unnest(products) as p);
  -- No join with the array: without statistics of the offers that takes seconds.
  prices constant jsonb := (select jsonb_object_agg(p.product_id, p.price) from unnest(products) as p);
  -- Of all at once: one by one this takes a second for some thousand products. Each product with an offer that its
  -- price allows, and the most that one such offer has; null: not known.
  stocks constant jsonb := (
    select jsonb_object_agg(u.product_id, u.stock)
    from (
      select j.product_id, max(least(j.stock, 100)) filter (where j.stock is not null) as stock
      from core.judged_offers j
      where j.product_id = any (product_ids) and j.fault is null
        and j.min_price <= (prices ->> j.product_id::text)::numeric
      group by j.product_id) as u);
begin
  return (
    select coalesce(json_agg(json_build_object(
      'id', p.id,
      'gameSlug', g.slug,
      'name', p.name,
      'slug', coalesce(
        nullif(trim(both '-' from regexp_replace(lower(p.name), '[^a-z0-9]+', '-', 'g')), ''), 'product-' || p.id),
      'wholesalePrice', seen.price,
      'priceTiers', case when seen.tiers is null then '[]' else coalesce((
        select json_agg(json_build_object('minQuantity', t.min_quantity, 'price', t.price) order by t.min_quantity)
        from core.price_tiers(seen) as t where t.min_quantity > 1), '[]') end,
      'currency', p.currency,
      'region', p.region,
      'countries', p.countries,
      'platform', p.platform,
      'imageUrl', p.image_url,
      'deliveryType', p.delivery_type,
      'amountType', case when p.amount_value is not null then
        json_build_object('type', 'fixed', 'value', trim_scale(p.amount_value)) end,
      'inStock', can.order_it,
      'stock', case
        when not can.order_it then 0
        when can.stock <> 'null' then least(can.stock::int, p.max_quantity)
      end,
      'minQuantity', 1,
      'maxQuantity', p.max_quantity,
      'deliveryDataSchema', p.delivery_fields,
      'updatedAt', core.iso(seen.updated_at)) order by p.id), '[]')
    from unnest(products) as seen
    cross join lateral (select (seen.product).*) as p
    cross join lateral (select stocks -> p.id::text as stock offset 0) as usable
    cross join lateral (select p.in_stock and usable.stock is not null as order_it, usable.stock) as can
    join supply.games g on g.id = p.game_id);
end
$$;
comment on function core.products_json is
  'Returns products, by id, as their partner reads them, the prices in the currency of each product.';
