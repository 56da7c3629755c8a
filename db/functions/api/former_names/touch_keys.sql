create or replace function api.touch_keys(key_ids bigint[])
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$ select api.touch_api_keys(key_ids) $$;
comment on function api.touch_keys is
  'The former name of api.touch_api_keys, for API processes that still run while the database is migrated.';
