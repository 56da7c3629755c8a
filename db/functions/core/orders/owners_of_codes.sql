create or replace function core.owners_of_codes(codes text[])
returns table (place int, item_id uuid, replaced_at timestamptz)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select c.place::int, k.item_id, null::timestamptz
  from unnest(codes) with ordinality as c (code, place)
  cross join lateral (
    select k.item_id from supply.item_keys k where core.code_identity(k.code) = core.code_identity(c.code)
    offset 0) as k
  union all
  select c.place::int, r.item_id, r.replaced_at
  from unnest(codes) with ordinality as c (code, place)
  cross join lateral (
    select r.item_id, r.replaced_at from supply.replaced_codes r
    where core.code_identity(r.code) = core.code_identity(c.code)
    offset 0) as r
$$;
comment on function core.owners_of_codes is
  'Returns the items that have each of the codes, by its place from 1. replaced_at: when an operator replaced it
there.';
