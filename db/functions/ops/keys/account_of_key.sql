create or replace function ops.account_of_key(key text)
returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select k.account_id from supply.api_keys k where k.key_hash = sha256(convert_to(account_of_key.key, 'UTF8'))
$$;
comment on function ops.account_of_key is
  'Returns the account that an API key was issued to, even if the key no longer works; null for an unknown key.';
