create or replace function core.item_codes(item_id uuid)
returns json
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select json_agg(case when k.code like 'card:{%' then substr(k.code, 6)::json
      else json_build_object('code', core.shown_code(k.code, k.item_id)) end order by k.position)
    from supply.item_keys k where k.item_id = item_codes.item_id);
end
$$;
comment on function core.item_codes is
  'Returns the codes of an item as partners read them, [{code, pin, serial, url, expiresAt}] with the parts that
the supplier gave; null: it has none. Specification 2.3.';
