create or replace function work.list_typed_codes(wanted_id uuid)
returns table (item_id uuid, version text, codes jsonb)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select t.item_id, t.xmin::text, to_jsonb(t.codes) from supply.typed_codes t where t.item_id = wanted_id
$$;
comment on function work.list_typed_codes is
  'Returns the codes that an operator typed for an item, to be sealed and given to work.use_typed_codes. Codes that he
types again have another version.';
