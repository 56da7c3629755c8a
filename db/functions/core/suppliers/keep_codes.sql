create or replace function core.keep_codes(item_id uuid, codes text[])
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  insert into supply.item_keys as k (item_id, position, code)
  select keep_codes.item_id,
    (select count(*)::int from supply.item_keys h where h.item_id = keep_codes.item_id) + (row_number() over (order by c.place))::int - 1,
    c.code
  from (select code, min(place) as place from unnest(codes) with ordinality as u (code, place) group by code) c
  where not exists (select from supply.item_keys h where h.item_id = keep_codes.item_id and h.code = c.code)
  order by c.place
$$;
comment on function core.keep_codes is 'Appends codes that a supplier gave for an item to those it has; a code that it has is not kept twice.';
