create or replace function core.item_codes(item_id uuid)
returns json
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select json_agg(core.card_json(k.code, k.item_id) order by k.position)
    from supply.item_keys k where k.item_id = item_codes.item_id);
end
$$;
comment on function core.item_codes is
  'Returns the codes of an item as partners read them (core.card_json); null: it has none. Specification 2.3.';
