-- Roles: support
create or replace function ops.set_key(
  key_id anycompatible, expires_at timestamptz, allowed_origins text[], allowed_ips cidr[]
)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  before supply.api_keys := core.lock_api_key(key_id);
  after supply.api_keys := before;
begin
  after.expires_at := expires_at;
  after.allowed_origins := core.clean_origins(allowed_origins);
  after.allowed_ips := core.clean_networks(allowed_ips);
  if after is not distinct from before then
    raise notice 'key % (…%) has these values already: nothing changed', before.id, before.last4;
    return;
  end if;
  update supply.api_keys k set
    expires_at = after.expires_at, allowed_origins = after.allowed_origins, allowed_ips = after.allowed_ips
  where k.id = before.id;
  perform core.log_operator('set_key', 'key ' || before.id, jsonb_build_object(
    'expires_at', after.expires_at, 'allowed_origins', after.allowed_origins, 'allowed_ips', after.allowed_ips)
    || core.values_before(to_jsonb(before), to_jsonb(after)));
  raise notice 'changed key % (…%): %', before.id, before.last4,
    core.changed_columns(to_jsonb(before), to_jsonb(after));
end
$$;
comment on function ops.set_key is
  'Sets the expiry and both allowlists of a key; null clears each. A past expiry ends the key at once.
ops.set_key_expiry, ops.set_key_origins and ops.set_key_ips set one of the three. A notice shows what changed.
Specification 5.';
