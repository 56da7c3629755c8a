create or replace function api.known_codes(item_id uuid)
returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select core.given_codes(item_id)
$$;
comment on function api.known_codes is
  'As core.given_codes.';
