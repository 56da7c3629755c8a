create or replace function api.known_codes(item_id uuid)
returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select g.codes from core.given_codes(array[item_id]) g
$$;
comment on function api.known_codes is
  'Returns the codes of an item as core.given_codes; null: it has none.';
