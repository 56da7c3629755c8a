create or replace function api.compare_clock(process_name text, seconds_ahead int default null)
returns table (database_ms double precision, budgets text)
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select core.note_clock(process_name, seconds_ahead),
    (select coalesce(sum(hashtextextended(l.network || ' ' || l.per_minute, 0)), 0)::text from supply.rate_limits l)
$$;
comment on function api.compare_clock is
  'Returns the time of the database in ms since 1970, and a text that differs once an operator has changed a budget.
seconds_ahead: by how much the clock of the process was ahead of the database''s at the last comparison; null: at most
30 s. Call it every second.';
