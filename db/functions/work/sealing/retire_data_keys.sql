create or replace function work.retire_data_keys(but_key_id text)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  -- Whoever has a key that leaked must not read the fingerprint key from a later copy of the database.
  update supply.data_keys k set closed_at = coalesce(k.closed_at, now()), retired_at = clock_timestamp(),
    fingerprint_key = '', proof_hash = ''
  where k.id <> but_key_id and k.retired_at is null
$$;
comment on function work.retire_data_keys is
  'Retires all data keys but one, for good. Call it when everything is sealed under that key: processes then start
without the others.';
