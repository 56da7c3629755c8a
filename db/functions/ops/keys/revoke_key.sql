create or replace function ops.revoke_key(key_id bigint)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  key supply.api_keys;
begin
  key := core.lock_api_key(key_id);
  if key.revoked_at is null then
    update supply.api_keys k set revoked_at = now() where k.id = key.id;
    perform core.log_operator('revoke_key', 'key ' || key.id);
  end if;
end
$$;
comment on function ops.revoke_key is
  'Ends a key at once and for good; to revoke it again changes nothing. Specification 5.';
