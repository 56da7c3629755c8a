create or replace function ops.set_key(
  key_id bigint, expires_at timestamptz, allowed_origins text[], allowed_ips cidr[]
)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  key supply.api_keys;
  origins text[];
  networks cidr[];
begin
  key := core.lock_api_key(key_id);
  origins := core.clean_origins(allowed_origins);
  networks := core.clean_networks(allowed_ips);
  update supply.api_keys k set
    expires_at = set_key.expires_at, allowed_origins = origins, allowed_ips = networks
  where k.id = key.id;
  perform core.log_operator('set_key', 'key ' || key.id, jsonb_build_object(
    'expires_at', expires_at, 'allowed_origins', origins, 'allowed_ips', networks));
end
$$;
comment on function ops.set_key is
  'Sets the expiry and the allowlists of a key, as given: null clears. An expiry in the past ends the key at once. '
  'Specification 5.';
