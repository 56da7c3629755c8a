create or replace function core.lock_api_key(key_id bigint)
returns supply.api_keys
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  key supply.api_keys;
begin
  select k.* into key from supply.api_keys k where k.id = lock_api_key.key_id for no key update;
  perform core.require(found, format('there is no key %s', coalesce(lock_api_key.key_id::text, 'null')), 'no_data_found',
    'ops.api_keys lists the keys with their numbers.');
  return key;
end
$$;
comment on function core.lock_api_key is
  'The API key, locked until the transaction ends. Raises no_data_found if there is none.';
