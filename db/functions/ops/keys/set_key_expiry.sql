-- Roles: support
create or replace function ops.set_key_expiry(key_id anycompatible, expires_at timestamptz)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select ops.set_key(k.id, set_key_expiry.expires_at, k.allowed_origins, k.allowed_ips)
  from core.lock_api_key(key_id) k
$$;
comment on function ops.set_key_expiry is
  'Sets when a key expires, and nothing else. Null: never. A past time ends it at once. A notice shows the previous
time. Raises for an unknown key. Specification 5.';
