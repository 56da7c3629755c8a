create or replace view ops.products as
select p.id as product_id, g.slug as game_slug, p.name, p.price, p.currency, p.delivery_type, p.delivery_fields,
  p.region, p.amount_value, p.max_quantity, p.in_stock,
  p.in_stock and exists (
    select from core.active_offers o where o.product_id = p.id and o.min_price <= p.price) as available, p.updated_at,
  p.image_url, p.platform, p.countries
from supply.products p
join supply.games g on g.id = p.game_id;
comment on view ops.products is 'The products that partners can order, the price in the product''s currency.';
comment on column ops.products.product_id is 'The productId of orders.';
comment on column ops.products.game_slug is 'The game''s slug.';
comment on column ops.products.available is
  'Whether partners can order it now: it is in stock, and an active supplier offers it.';
