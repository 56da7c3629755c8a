create or replace function work.known_codes(item_ids uuid[])
returns table (ordinal int, codes text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select known.ordinal::int, known.codes
  from (
    select i.ordinal, core.given_codes(i.id) as codes from unnest(item_ids) with ordinality as i (id, ordinal) offset 0
  ) as known
  where known.codes is not null
$$;
comment on function work.known_codes is
  'Returns core.given_codes of the items that have any, with their place in item_ids, from 1.';
