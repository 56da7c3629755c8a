-- Roles: support
create or replace function ops.set_key_ips(key_id anycompatible, allowed_ips cidr[])
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select ops.set_key(k.id, k.expires_at, k.allowed_origins, set_key_ips.allowed_ips) from core.lock_api_key(key_id) k
$$;
comment on function ops.set_key_ips is
  'Sets the networks from which a key may be used, and nothing else. Null: any address. A notice shows the previous
networks. Raises for an unknown key, and for an empty list. Specification 5.';
