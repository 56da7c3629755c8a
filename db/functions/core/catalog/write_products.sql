create or replace function core.write_products(products supply.products[], action text)
returns int
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  game_ids int[];
  written int;
begin
  -- A list's prices are in the currency that the product had when they were set.
  perform core.write_list_prices(array(
    select row(l.list_id, l.product_id, l.min_quantity, null, null)::supply.list_prices
    from unnest(products) as after join supply.products before on before.id = after.id
    join supply.list_prices l on l.product_id = after.id
    where before.currency <> after.currency and l.price is not null), action);
  with pair as materialized (
    select before, after
    from unnest(products) as after
    left join supply.products before on before.id = after.id
    where after is distinct from before
  ), written as (
    insert into supply.products as p
    select (c.after).* from pair c order by (c.after).id
    on conflict on constraint products_pkey do update set
      (game_id, name, price, currency, region, delivery_type, delivery_fields, amount_value, max_quantity, in_stock,
        image_url, platform, countries, updated_at)
      = (excluded.game_id, excluded.name, excluded.price, excluded.currency, excluded.region, excluded.delivery_type,
        excluded.delivery_fields, excluded.amount_value, excluded.max_quantity, excluded.in_stock,
        excluded.image_url, excluded.platform, excluded.countries, now())
  ), logged as (
    insert into supply.operator_log (action, subject, detail)
    select write_products.action, 'product ' || (c.after).id,
      to_jsonb(c.after) - array['id', 'game_id', 'updated_at', 'min_margin']
        || jsonb_build_object('game_slug', (select g.slug from supply.games g where g.id = (c.after).game_id))
        || core.values_before(to_jsonb(c.before), to_jsonb(c.after))
    from pair c order by (c.after).id
  ), moved as (
    -- Without this, a game that lost its only product, for all or for some accounts, would show no change.
    select distinct game.id
    from pair c cross join lateral (values ((c.before).game_id), ((c.after).game_id)) as game (id)
    where ((c.before).game_id, (c.before).currency, (c.before).delivery_type)
      is distinct from ((c.after).game_id, (c.after).currency, (c.after).delivery_type)
  )
  select array(select m.id from moved m), count(*) into game_ids, written from pair;
  perform 1 from supply.games g where g.id = any (game_ids) order by g.id for no key update;
  update supply.games g set updated_at = now() where g.id = any (game_ids);
  return written;
end
$$;
comment on function core.write_products is
  'Writes products that the caller has locked, and only those that differ; logs each as the action, with the values
before. A changed currency ends the product''s prices in lists. Marks the games that get or lose products as changed.
Returns how many products it wrote.';
