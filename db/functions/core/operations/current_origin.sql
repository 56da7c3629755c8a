create or replace function core.current_origin()
returns supply.origin
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  origin supply.origin;
begin
  origin.id := true;
  if has_function_privilege('pg_control_system()', 'execute') then
    origin.cluster := (select s.system_identifier::text from pg_control_system() s);
  end if;
  origin.database_oid := (select d.oid from pg_database d where d.datname = current_database());
  origin.timeline := core.current_timeline();
  origin.recorded_at := now();
  return origin;
end
$$;
comment on function core.current_origin is
  'Where this database is now: its cluster, its number there and the timeline of the log. A dump that is restored has
another number or cluster, a base back-up that is restored another timeline, and so has a standby that was promoted.
Raises on a standby.';
