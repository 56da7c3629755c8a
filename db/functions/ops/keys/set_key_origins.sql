create or replace function ops.set_key_origins(key_id anycompatible, allowed_origins text[])
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  key supply.api_keys := core.lock_api_key(key_id);
begin
  perform ops.set_key(key.id, key.expires_at, allowed_origins, key.allowed_ips);
end
$$;
comment on function ops.set_key_origins is
  'Sets the origins of browsers from which a key may be used, and keeps the rest of the key. Null: any origin. A
notice says the origins before. Raises on an unknown key, and on what is no host, *.host or whole origin.
Specification 5.';
