create or replace function core.product_columns(product supply.products)
returns jsonb
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select to_jsonb(product) - 'game_id' || jsonb_build_object('game_slug', (
    select g.slug from supply.games g where g.id = product.game_id))
$$;
comment on function core.product_columns is 'Returns the columns of a product by the names that they have in lists.';
