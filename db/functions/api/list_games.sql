create or replace function api.list_games(account_id bigint, updated_since timestamptz default null)
returns json
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select coalesce(json_agg(json_build_object(
      'id', g.id, 'slug', g.slug, 'name', g.name, 'imageUrl', g.image_url,
      'deliveryTypes', coalesce(p.delivery_types, '{}'), 'productCount', coalesce(p.products, 0)
    ) order by g.name, g.id), '[]')
  from supply.games g
  left join lateral (
    select array_agg(distinct (p.product).delivery_type) as delivery_types, count(*) as products,
      max(p.updated_at) as updated_at
    from core.partner_products p
    where p.game_id = g.id and p.account_id = list_games.account_id
  ) p on true
  where updated_since is null or greatest(g.updated_at, p.updated_at) >= updated_since
$$;
comment on function api.list_games is
  'Returns the games, with the products of each in the account''s currency. updated_since: only games that changed
since then, or that have a product that did. Specification 4.';
