create or replace function work.close_data_keys(but_key_id text)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  update supply.data_keys k set closed_at = clock_timestamp()
  where k.id <> but_key_id and k.closed_at is null
    and exists (select from supply.data_keys o where o.id = but_key_id and o.closed_at is null)
$$;
comment on function work.close_data_keys is
  'Has the database refuse new texts under all data keys but one, which must be open. Transactions under way may still
store some: wait for those of work.list_writers, then seal what is left again.';
