create or replace function api.list_products(
  account_id bigint, game_slug text, delivery_type text default null, updated_since timestamptz default null
)
returns json
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select (
    select coalesce(json_agg(core.product_json(p) order by p.id), '[]')
    from supply.products p
    where p.game_id = g.id
      and p.currency = (select a.currency from supply.accounts a where a.id = list_products.account_id)
      and (list_products.delivery_type is null or p.delivery_type = list_products.delivery_type)
      and (updated_since is null or p.updated_at >= updated_since)
  )
  from supply.games g
  where g.slug = game_slug
$$;
comment on function api.list_products is
  'Returns the products of a game in the account''s currency, also those out of stock; null: there is no such game.';
