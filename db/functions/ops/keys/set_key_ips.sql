create or replace function ops.set_key_ips(key_id anycompatible, allowed_ips cidr[])
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  key supply.api_keys := core.lock_api_key(key_id);
begin
  perform ops.set_key(key.id, key.expires_at, key.allowed_origins, allowed_ips);
end
$$;
comment on function ops.set_key_ips is
  'Sets the networks from which a key may be used, and keeps the rest of the key. Null: any address. A notice says the
networks before. Raises on an unknown key, and on an empty list. Specification 5.';
