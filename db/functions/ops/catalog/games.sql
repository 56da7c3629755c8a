create or replace view ops.games as
select g.id as game_id, g.slug, g.name, g.image_url,
  (select count(*)::int from supply.products p where p.game_id = g.id) as products, g.updated_at
from supply.games g;
comment on view ops.games is 'The games that products belong to.';
comment on column ops.games.game_id is 'The game''s number.';
comment on column ops.games.products is 'The number of its products.';
