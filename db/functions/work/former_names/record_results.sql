create or replace function work.record_results(results jsonb, deadline interval)
returns table (ordinal int, verdict text)
language sql security definer set search_path = pg_catalog, pg_temp
as $$ select f.ordinal, f.verdict from work.finish_calls(results, deadline) f $$;
comment on function work.record_results is
  'The former name of work.finish_calls, for workers that still run while the database is migrated.';
