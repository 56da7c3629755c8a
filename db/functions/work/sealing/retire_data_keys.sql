create or replace function work.retire_data_keys(but_key_id text)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  delete from supply.data_keys k where k.id <> but_key_id
$$;
comment on function work.retire_data_keys is
  'Forgets all data keys but one. Call it when everything is sealed under that key: processes then start without the
others.';
