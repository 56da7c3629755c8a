create or replace function core.current_timeline()
returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select left(pg_walfile_name(pg_current_wal_lsn()), 8)
$$;
comment on function core.current_timeline is
  'The timeline of the write-ahead log, in hex: another one after each promotion of a standby. Raises on a standby.';
