create or replace function core.lock_api_key(reference anycompatible)
returns supply.api_keys
language sql set search_path = pg_catalog, pg_temp
as $$
  select core.end_when_idle();
  select k.* from supply.api_keys k
  where k.id = core.refer_to('key', reference)::bigint for no key update
$$;
comment on function core.lock_api_key is
  'Returns the API key that a reference means (core.refer_to), locked until the transaction ends.';
