create or replace function core.lock_codes()
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  select pg_advisory_xact_lock(hashtextextended('stock codes', 0))
$$;
comment on function core.lock_codes is
  'Waits until no other transaction adds codes to the stock: else two could add one code. Sales wait for nothing.';
