create or replace function ops.set_key_expiry(key_id anycompatible, expires_at timestamptz)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  key supply.api_keys := core.lock_api_key(key_id);
begin
  perform ops.set_key(key.id, expires_at, key.allowed_origins, key.allowed_ips);
end
$$;
comment on function ops.set_key_expiry is
  'Sets when a key ends, and keeps the rest of the key. Null: it does not end. A time in the past ends it at once. A
notice says the time before. Raises on an unknown key. Specification 5.';
