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
  'Sets when a key expires, and nothing else. Null: never. A past time ends it at once. A notice shows the previous
time. Raises for an unknown key. Specification 5.';
