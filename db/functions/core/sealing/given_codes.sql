create or replace function core.given_codes(item_ids uuid[])
returns table (ordinal int, codes text)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  with given as materialized (
    select c.item_id, json_agg(core.card_json(c.code, c.item_id))::text as codes
    from (
      select k.item_id, k.code from supply.item_keys k where k.item_id = any (item_ids)
      union
      select r.item_id, r.code from supply.replaced_codes r where r.item_id = any (item_ids)
      union
      select a.item_id, unnest(a.codes) from supply.supplier_attempts a
      where a.item_id = any (item_ids) and a.codes <> '{}') as c (item_id, code)
    group by c.item_id
  )
  select i.ordinal::int, g.codes
  from unnest(item_ids) with ordinality as i (id, ordinal) join given g on g.item_id = i.id;
end
$$;
comment on function core.given_codes is
  'Returns the JSON of all codes that any answer gave for each item, delivered, held, replaced or ignored, as
core.card_json. ordinal: the place in item_ids, from 1; an item without codes is left out.';
