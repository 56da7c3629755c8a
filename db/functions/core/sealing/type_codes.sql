create or replace function core.type_codes(item_id uuid, action text, codes text[], reason text)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  insert into supply.typed_codes (item_id, action, codes, reason)
  values (type_codes.item_id, type_codes.action, type_codes.codes, type_codes.reason)
  on conflict on constraint typed_codes_pkey do update
  set (action, codes, reason, typed_by, typed_at) = (excluded.action, excluded.codes, excluded.reason, session_user,
    now());
  -- guard: the codes that an operator typed are sealed
  perform core.request_sealing(type_codes.item_id);
end
$$;
comment on function core.type_codes is
  'Keeps the codes that an operator typed for an item until a worker has sealed them and does with them what was asked
for, in place of those typed before.';
