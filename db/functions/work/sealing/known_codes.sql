create or replace function work.known_codes(item_ids uuid[])
returns table (ordinal int, codes text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select g.ordinal, g.codes from core.given_codes(item_ids) g
$$;
comment on function work.known_codes is
  'As core.given_codes.';
