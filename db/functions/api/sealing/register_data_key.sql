create or replace function api.register_data_key(
  new_id text, new_fingerprint_key text, known_ids text[], proof text
)
returns table (key_id text, fingerprint_key text)
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select r.key_id, r.fingerprint_key
  from core.add_data_key(new_id, new_fingerprint_key, known_ids, proof, false) r
$$;
comment on function api.register_data_key is
  'As core.add_data_key, but not for the first key of a database: a worker registers that.';
