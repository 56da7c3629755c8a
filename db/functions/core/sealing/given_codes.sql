create or replace function core.given_codes(item_id uuid)
returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select json_agg(case when c.code like 'card:{%' then substr(c.code, 6)::json
      else json_build_object('code', core.shown_code(c.code, given_codes.item_id)) end)
    from (
      select k.code from supply.item_keys k where k.item_id = given_codes.item_id
      union
      select r.code from supply.replaced_codes r where r.item_id = given_codes.item_id
      union
      select unnest(a.codes) from supply.supplier_attempts a
      where a.item_id = given_codes.item_id and a.codes <> '{}') as c (code));
end
$$;
comment on function core.given_codes is
  'Returns the JSON of all codes that any answer gave for an item, delivered, held, replaced or ignored, as
core.item_codes writes them; null: none.';
