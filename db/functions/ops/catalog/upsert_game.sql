-- Roles: trade
create or replace function ops.upsert_game(slug text, name text, image_url text default null)
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  old jsonb;
begin
  perform core.require(upsert_game.slug ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$',
    'slug must have 1 to 100 Latin letters, digits, dashes and underscores, such as space-trader');
  perform core.require(length(trim(upsert_game.name)) between 1 and 200, 'name must have 1 to 200 characters');
  perform core.require(
    upsert_game.image_url is null or upsert_game.image_url ~ '^https?://[^[:space:]]+$'
      and length(upsert_game.image_url) <= 2000,
    'image_url must be an http or https URL');

  select to_jsonb(g) into old from supply.games g where g.slug = upsert_game.slug for no key update;
  -- Without the look before, each call would use up a number.
  insert into supply.games as g (slug, name, image_url)
  select upsert_game.slug, upsert_game.name, upsert_game.image_url
  where not exists (select from supply.games g where g.slug = upsert_game.slug)
  on conflict on constraint games_slug_key do nothing;
  if not found then
    update supply.games g set name = upsert_game.name, image_url = upsert_game.image_url, updated_at = now()
    where g.slug = upsert_game.slug
      and (g.name, g.image_url) is distinct from (upsert_game.name, upsert_game.image_url);
  end if;
  if found then
    perform core.log_operator('upsert_game', 'game ' || slug, jsonb_build_object('name', name, 'image_url', image_url)
      || core.values_before(old, jsonb_build_object('name', name, 'image_url', image_url)));
    raise notice 'game % is %', slug, concat(name, ' (changed: ' || core.changed_columns(old,
      jsonb_build_object('name', name, 'image_url', image_url)) || ')');
  else
    raise notice 'game % has these values already: nothing changed', slug;
  end if;
  return (select g.id from supply.games g where g.slug = upsert_game.slug);
end
$$;
comment on function ops.upsert_game is 'Creates a game or changes the one with the slug; returns its number.';
