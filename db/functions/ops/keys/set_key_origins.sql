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
  'Sets the browser origins from which a key may be used, and nothing else. Null: any origin. A notice shows the
previous origins. Raises for an unknown key, and for an entry that is no host, *.host or whole origin. Specification
5.';
