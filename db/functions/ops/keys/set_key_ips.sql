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
  'Sets the networks from which a key may be used, and nothing else. Null: any address. A notice shows the previous
networks. Raises for an unknown key, and for an empty list. Specification 5.';
