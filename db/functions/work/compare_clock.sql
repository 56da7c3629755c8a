create or replace function work.compare_clock(process_name text, seconds_ahead int)
returns double precision
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select core.note_clock(process_name, seconds_ahead)
$$;
comment on function work.compare_clock is
  'Returns the time of the database in ms since 1970. seconds_ahead: by how much the clock of the process was ahead of
it at the last comparison; null: at most 30 s. Call it every 2 s.';
