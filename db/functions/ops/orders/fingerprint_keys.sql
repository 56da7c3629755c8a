-- Roles: support
create or replace function ops.fingerprint_keys()
returns table (key_id text, fingerprint_key text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select k.id, k.fingerprint_key from supply.data_keys k where k.retired_at is null order by k.id
$$;
comment on function ops.fingerprint_keys is
  'Returns the key by which sealed codes are compared, sealed under each data key. npm run find-code reads it.';
