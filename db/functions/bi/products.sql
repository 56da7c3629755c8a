create or replace view bi.products as
select p.id as product_id, g.slug as game_slug, p.name, p.price, p.currency, p.delivery_type, p.region, p.max_quantity,
  p.in_stock, p.updated_at, p.image_url, p.platform, p.countries
from supply.products p join supply.games g on g.id = p.game_id;
comment on view bi.products is 'The products with their present prices.';
comment on column bi.products.product_id is 'The product number.';
comment on column bi.products.game_slug is 'The game.';
comment on column bi.products.countries is 'Where it works, by ISO 3166 alpha-2; null: everywhere.';
