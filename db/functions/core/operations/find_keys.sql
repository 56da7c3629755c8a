create or replace function core.find_keys(reference text)
returns setof supply.api_keys
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select k.* from supply.api_keys k
  where btrim(reference) in (k.prefix, k.last4, k.prefix || '…' || k.last4, k.prefix || '...' || k.last4)
    or k.key_hash = sha256(convert_to(btrim(reference), 'UTF8'))
$$;
comment on function core.find_keys is
  'The API keys that a text names: by the prefix or the last characters, both as they are shown, or by the whole key.';
