-- Roles: support
create or replace function ops.set_key_origins(key_id anycompatible, allowed_origins text[])
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select ops.set_key(k.id, k.expires_at, set_key_origins.allowed_origins, k.allowed_ips)
  from core.lock_api_key(key_id) k
$$;
comment on function ops.set_key_origins is
  'Sets the browser origins from which a key may be used, and nothing else. Null: any origin. A notice shows the
previous origins. Raises for an unknown key, and for an entry that is no host, *.host or whole origin. Specification
5.';
