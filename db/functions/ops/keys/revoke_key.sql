-- Roles: support
create or replace function ops.revoke_key(key_id anycompatible)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  key supply.api_keys := core.lock_api_key(key_id);
begin
  if key.revoked_at is not null then
    raise notice 'key % (…%) was revoked on %: nothing changed', key.id, key.last4, key.revoked_at;
  else
    update supply.api_keys k set revoked_at = now() where k.id = key.id;
    perform core.log_operator('revoke_key', 'key ' || key.id);
    raise notice 'key % (…%) of account % (%) is revoked: its requests get 401', key.id, key.last4, key.account_id,
      (select a.name from supply.accounts a where a.id = key.account_id);
  end if;
end
$$;
comment on function ops.revoke_key is
  'Revokes a key at once and permanently. A repeat changes nothing. Specification 5.';
